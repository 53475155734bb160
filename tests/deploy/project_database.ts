/** A project's database as the Supabase CLI reaches it: on port 5432 of an address of its own, under the name `postgres`. */
export interface ProjectDatabase {
  /** Where it listens; of 127.0.0.0/8. */
  address: string;
  stop(): void;
}

const PORT = 5432;
/** The code in place of a protocol version that asks for TLS. */
const SSL_REQUEST = 80877103;

/** Passes connections on to the database at `databaseUrl`, whatever database and password they ask for. */
export function startProjectDatabase(databaseUrl: string): ProjectDatabase {
  const { hostname, port, pathname } = new URL(databaseUrl);
  const listener = listenOnFreeAddress();
  const serve = async () => {
    for await (const client of listener) {
      const server = await Deno.connect({ hostname, port: Number(port) });
      forward(client, server, pathname.slice(1)).catch(() => {}).finally(() =>
        [client, server].forEach(closeQuietly)
      );
    }
  };
  serve().catch(() => {});
  return { address: listener.addr.hostname, stop: () => listener.close() };
}

function listenOnFreeAddress(): Deno.TcpListener {
  const byte = () => 1 + Math.floor(Math.random() * 250);
  for (let attempts = 0;; attempts++) {
    try {
      return Deno.listen({ hostname: `127.${byte()}.${byte()}.${byte()}`, port: PORT });
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse) || attempts === 10) throw error;
    }
  }
}

async function forward(client: Deno.Conn, server: Deno.Conn, database: string): Promise<void> {
  let start = await readStart(client);
  if (new DataView(start.buffer).getInt32(4) === SSL_REQUEST) {
    await client.write(new TextEncoder().encode("N"));
    start = await readStart(client);
  }
  await server.write(withDatabase(start, database));
  await Promise.race([
    client.readable.pipeTo(server.writable),
    server.readable.pipeTo(client.writable),
  ]);
}

/** A first message: four bytes of length, then the rest. */
async function readStart(client: Deno.Conn): Promise<Uint8Array<ArrayBuffer>> {
  const head = await readExactly(client, 4);
  const length = new DataView(head.buffer).getInt32(0);
  return new Uint8Array([...head, ...await readExactly(client, length - 4)]);
}

async function readExactly(client: Deno.Conn, count: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count;) {
    const size = await client.read(bytes.subarray(at));
    if (size === null) throw new Error("The client has gone");
    at += size;
  }
  return bytes;
}

/** The same start with another database. Its parameters are names and values, each ended by a zero byte. */
function withDatabase(start: Uint8Array, database: string): Uint8Array {
  const parts = new TextDecoder().decode(start.subarray(8)).split("\0");
  parts[parts.indexOf("database") + 1] = database;
  const parameters = new TextEncoder().encode(parts.join("\0"));
  const message = new Uint8Array(8 + parameters.length);
  message.set(start.subarray(0, 8));
  message.set(parameters, 8);
  new DataView(message.buffer).setInt32(0, message.length);
  return message;
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // Piping closed it already.
  }
}

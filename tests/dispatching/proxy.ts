/** A way to a server that can be cut and mended. */
export interface Proxy {
  port: number;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  /** Breaks every connection and refuses new ones with this SQLSTATE, as a server or a pooler does. */
  refuse(sqlstate: string): void;
  mend(): void;
}

/** Sees all that passes through one connection, before the other side does. */
export interface Watcher {
  fromClient(bytes: Uint8Array): void;
  fromServer(bytes: Uint8Array): void;
}

/**
 * Calls `fn` with a proxy on this machine in front of a port of this machine.
 *
 * @param watch makes the watcher of one connection
 */
export async function withProxy(
  targetPort: number,
  fn: (proxy: Proxy) => Promise<void>,
  watch: () => Watcher = () => BLIND,
): Promise<void> {
  let listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const sockets = new Set<Deno.Conn>();
  const passing: Promise<unknown>[] = [];
  let refusing: string | null = null;

  async function pass(client: Deno.Conn): Promise<void> {
    sockets.add(client);
    const server = await Deno.connect({ hostname: "127.0.0.1", port: targetPort });
    sockets.add(server);
    const close = () => [client, server].forEach((socket) => hangUp(sockets, socket));
    const watcher = watch();
    await Promise.allSettled([
      client.readable.pipeThrough(shown(watcher.fromClient)).pipeTo(server.writable).finally(close),
      server.readable.pipeThrough(shown(watcher.fromServer)).pipeTo(client.writable).finally(close),
    ]);
  }

  async function accept(from: Deno.Listener): Promise<void> {
    for await (const client of from) {
      const served = refusing === null ? pass(client) : turnAway(client, refusing);
      passing.push(served.catch(() => hangUp(sockets, client)));
    }
  }

  async function turnAway(client: Deno.Conn, sqlstate: string): Promise<void> {
    sockets.add(client);
    await client.read(new Uint8Array(1024));
    await client.write(errorResponse(sqlstate));
    hangUp(sockets, client);
  }

  function cut(): void {
    listener.close();
    sockets.forEach((socket) => hangUp(sockets, socket));
  }

  passing.push(accept(listener));
  try {
    await fn({
      port,
      cut,
      refuse(sqlstate) {
        refusing = sqlstate;
        sockets.forEach((socket) => hangUp(sockets, socket));
      },
      mend() {
        if (refusing !== null) return void (refusing = null);
        listener = Deno.listen({ hostname: "127.0.0.1", port });
        passing.push(accept(listener));
      },
    });
  } finally {
    cut();
    await Promise.allSettled(passing);
  }
}

/** The message of Postgres' protocol with which a server ends a connection before it has begun. */
function errorResponse(sqlstate: string): Uint8Array {
  const fields = new TextEncoder().encode(`SFATAL\0VFATAL\0C${sqlstate}\0Mrefused by the test\0\0`);
  const message = new Uint8Array(5 + fields.length);
  message.set(new TextEncoder().encode("E"));
  new DataView(message.buffer).setInt32(1, 4 + fields.length);
  message.set(fields, 5);
  return message;
}

const BLIND: Watcher = { fromClient: () => {}, fromServer: () => {} };

function shown(look: (bytes: Uint8Array) => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(bytes, controller) {
      look(bytes);
      controller.enqueue(bytes);
    },
  });
}

function hangUp(sockets: Set<Deno.Conn>, socket: Deno.Conn): void {
  if (!sockets.delete(socket)) return;
  try {
    socket.close();
  } catch { /* closed by the other side already */ }
}

import { closeServer } from "../../setup/http/close_server.ts";

/** Runs `use` against an HTTP server of its own on a free port. */
export async function withHttpServer(
  answer: (request: Request) => Response | Promise<Response>,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  try {
    await use(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await closeServer(server);
  }
}

/** The same one level lower: `onRequest` gets the connection and the number of the request, counted from 1. */
export async function withRawServer(
  onRequest: (connection: Deno.Conn, count: number) => Promise<void> | void,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.Conn>();
  let count = 0;
  const serve = async (connection: Deno.Conn) => {
    const buffer = new Uint8Array(8192);
    let text = "";
    for (let size; (size = await connection.read(buffer)) !== null;) {
      text += new TextDecoder().decode(buffer.subarray(0, size));
      if (!isComplete(text)) continue;
      text = "";
      await onRequest(connection, ++count);
    }
  };
  const accepting = (async () => {
    for await (const connection of listener) {
      connections.add(connection);
      serve(connection).catch(() => {}).finally(() => closeQuietly(connection));
    }
  })();
  try {
    await use(`http://127.0.0.1:${listener.addr.port}`);
  } finally {
    listener.close();
    connections.forEach(closeQuietly);
    await accepting;
  }
}

/** A port without a listener. */
export function closedPort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return listener.addr.port;
}

export async function write(connection: Deno.Conn, text: string): Promise<void> {
  await connection.write(new TextEncoder().encode(text));
}

/** A request may arrive in pieces; what is no HTTP at all, such as a TLS greeting, counts as complete. */
function isComplete(text: string): boolean {
  if (!text.startsWith("POST")) return true;
  const length = /^content-length: ([0-9]+)\r$/im.exec(text)?.[1];
  if (length === undefined) return text.endsWith("\r\n0\r\n\r\n");
  const [, body = ""] = text.split("\r\n\r\n");
  return new TextEncoder().encode(body).length >= Number(length);
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // Closed by the test already.
  }
}

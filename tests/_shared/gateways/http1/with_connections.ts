import { ConnectionPool } from "../../../../supabase/functions/_shared/gateways/http1/connection_pool.ts";
import type { ConnectionOptions } from "../../../../supabase/functions/_shared/gateways/http1/host_connections.ts";
import { postOnce } from "../../../../supabase/functions/_shared/gateways/posting/post_once.ts";
import type { PostOutcome } from "../../../../supabase/functions/_shared/gateways/posting/posted_request.ts";
import { bytesOf } from "./pieces.ts";

/** Posts a JSON body; the path is the request's own. */
export type Post = (
  url: string,
  body?: unknown,
  options?: { timeoutMs?: number; signal?: AbortSignal },
) => Promise<PostOutcome>;

/** Runs `use` with a way to post through kept connections, and closes them. */
export async function withConnections(
  use: (post: Post, connections: ConnectionPool) => Promise<void>,
  options: ConnectionOptions = {},
): Promise<void> {
  const connections = new ConnectionPool(options);
  const post: Post = (url, body = {}, { timeoutMs = 10_000, signal } = {}) =>
    postOnce({ connections }, { url, headers: { authorization: "Bearer x" }, body: () => body }, {
      timeoutMs,
      ...(signal && { signal }),
    });
  try {
    await use(post, connections);
  } finally {
    await connections.close();
  }
}

/** A server that sees its connections. */
export interface ConnectionServer {
  url: string;
  /** The requests of each connection, in order of the connections. */
  requests: string[][];
}

/**
 * Runs `use` against a server of raw connections. `serve` handles one: `next` returns its next whole request, undefined
 * at its end. The connection is closed when `serve` returns.
 */
export async function withConnectionServer(
  serve: (
    connection: Deno.Conn,
    next: () => Promise<string | undefined>,
    number: number,
  ) => Promise<void>,
  use: (server: ConnectionServer) => Promise<void>,
  listener: Deno.Listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }),
): Promise<void> {
  const connections = new Set<Deno.Conn>();
  const requests: string[][] = [];
  const { port } = listener.addr as Deno.NetAddr;
  const serving: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      connections.add(connection);
      const own: string[] = [];
      requests.push(own);
      const next = requestsOf(connection, own);
      serving.push(serve(connection, next, requests.length).catch(() => {}).finally(() => close(connection)));
    }
  })().catch(() => {});
  try {
    await use({ url: `http://127.0.0.1:${port}`, requests });
  } finally {
    listener.close();
    connections.forEach(close);
    await accepting;
    await Promise.all(serving);
  }
}

function requestsOf(connection: Deno.Conn, seen: string[]): () => Promise<string | undefined> {
  const buffer = new Uint8Array(64 * 1024);
  // One character per byte, as lengths count them.
  let text = "";
  return async () => {
    for (;;) {
      const head = text.indexOf("\r\n\r\n") + 4;
      const end = head + Number(/content-length: (\d+)/.exec(text)?.[1]);
      if (head > 4 && text.length >= end) {
        const request = new TextDecoder().decode(bytesOf(text.slice(0, end)));
        text = text.slice(end);
        seen.push(request);
        return request;
      }
      const size = await connection.read(buffer);
      if (size === null) return undefined;
      text += Array.from(buffer.subarray(0, size), (byte) => String.fromCharCode(byte)).join("");
    }
  };
}

/** Writes all of a text, of one byte per character. */
export async function send(connection: Deno.Conn, text: string): Promise<void> {
  let rest = bytesOf(text);
  while (rest.length > 0) rest = rest.subarray(await connection.write(rest));
}

/** A response of this status with a JSON body. */
export function jsonResponse(body: unknown = {}, head = "HTTP/1.1 200 OK"): string {
  const text = JSON.stringify(body);
  return `${head}\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

/** Waits until the event loop has had time for what is under way. */
export function pause(ms = 20): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // Closed already.
  }
}

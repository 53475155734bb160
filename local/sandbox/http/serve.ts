import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import { type HostCheck, WRONG_HOST } from "../../allowed_hosts.ts";
import { Connection } from "./connection.ts";

/** Takes a connection that asks to become a WebSocket. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export type Fetch = (request: Request, env: { connection: Connection }) => Response | Promise<Response>;

export interface ServeOptions {
  fetch: Fetch;
  onUpgrade: Upgrade;
  /** Requests under other names are refused. */
  isAllowedHost: HostCheck;
}

/** Bodies over this are cut off with the connection; files that are uploaded may be larger. */
const MAX_BODY = 4 * 1024 * 1024;
const MAX_FILE = 101 * 1024 * 1024;

/**
 * Serves `fetch` on this machine only. node:http and not Deno.serve, because faults must be able to close the
 * socket under a request. `close` cuts every connection: nothing is waited for.
 */
export async function serve(
  port: number,
  { fetch, onUpgrade, isAllowedHost }: ServeOptions,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (isAllowedHost(request.headers.host)) return void handle(fetch, request, response);
    response.writeHead(WRONG_HOST.status, { connection: "close" }).end(WRONG_HOST.text);
  });
  server.on("upgrade", (request, socket, head) => {
    if (isAllowedHost(request.headers.host)) return onUpgrade(request, socket, head);
    socket.end(`HTTP/1.1 ${WRONG_HOST.status} Misdirected Request\r\nConnection: close\r\n\r\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(fetch: Fetch, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const connection = new Connection(incoming, outgoing);
  try {
    const response = await fetch(await toRequest(incoming), { connection });
    if (!connection.dropped) await send(response, outgoing);
  } catch {
    connection.drop();
  }
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  const url = `http://${incoming.headers.host ?? "127.0.0.1"}${incoming.url ?? "/"}`;
  const method = incoming.method ?? "GET";
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers });
  return new Request(url, { method, headers, body: await readBody(incoming) });
}

async function readBody(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const most = incoming.url?.includes("/upload:") ? MAX_FILE : MAX_BODY;
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > most) throw new RangeError("Body is too large");
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    return await stream(response, outgoing);
  }
  outgoing.end(new Uint8Array(await response.arrayBuffer()));
}

async function stream(response: Response, outgoing: ServerResponse): Promise<void> {
  const reader = response.body!.getReader();
  const closed = new AbortController();
  outgoing.once("close", () => {
    closed.abort();
    void reader.cancel().catch(() => {});
  });
  for (;;) {
    const { done, value } = await reader.read();
    if (done || outgoing.destroyed) break;
    if (!outgoing.write(value)) await once(outgoing, "drain", { signal: closed.signal }).catch(() => {});
  }
  outgoing.end();
}

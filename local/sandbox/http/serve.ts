import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { type HostCheck, WRONG_HOST } from "../../allowed_hosts.ts";
import { Connection } from "./sandbox_app.ts";

/** Takes a connection that asks to become a WebSocket. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export type Fetch = (request: Request, env: { connection: Connection }) => Response | Promise<Response>;

export interface ServeOptions {
  fetch: Fetch;
  onUpgrade: Upgrade;
  /** Requests under other names are refused. */
  isAllowedHost: HostCheck;
}

/** The server closes the socket under a larger body; uploaded files may be larger. */
const MAX_BODY = 4 * 1024 * 1024;
const MAX_FILE = 101 * 1024 * 1024;

/**
 * Connections that may wait to be taken. Dispatchers open some hundred at one moment, and the system drops the first packet of one
 * too many, which is repeated after 1 s and 3 s: a send would time out.
 */
const MAX_WAITING_CONNECTIONS = 4096;

/**
 * Serves `fetch` on this machine only, through node:http: unlike `Deno.serve`, it hands out the socket that faults
 * close. `close` cuts every connection and waits for none.
 */
export async function serve(
  port: number,
  { fetch, onUpgrade, isAllowedHost }: ServeOptions,
): Promise<{ url: string; close(): Promise<void> }> {
  const listener = getRequestListener(
    (request, { incoming, outgoing }) =>
      fetch(request, { connection: new Connection(incoming as IncomingMessage, outgoing as ServerResponse) }),
    // The API runs in the same process, and `Deno.serve` takes only its own `Response`.
    { overrideGlobalObjects: false },
  );
  const server = createServer(async (request, response) => {
    const { socket } = request; // gone from the request once its body is cut short
    if (!isAllowedHost(request.headers.host)) {
      response.writeHead(WRONG_HOST.status, { connection: "close" }).end(WRONG_HOST.text);
    } else if (await readBody(request)) await listener(request, response);
    else socket.destroy();
  });
  server.on("upgrade", (request, socket, head) => {
    if (isAllowedHost(request.headers.host)) return onUpgrade(request, socket, head);
    socket.end(`HTTP/1.1 ${WRONG_HOST.status} Misdirected Request\r\nConnection: close\r\n\r\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1", backlog: MAX_WAITING_CONNECTIONS }, () => resolve());
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

/**
 * Reads the whole body, so that a connection whose request was refused serves the next one. The listener takes it from
 * `rawBody`. Returns false when the body is too large or the client has closed the connection.
 */
async function readBody(request: IncomingMessage & { rawBody?: Buffer }): Promise<boolean> {
  const takesFile = request.url?.includes("/upload:") || request.url?.endsWith("/media");
  const maxBytes = takesFile ? MAX_FILE : MAX_BODY;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size > maxBytes) return false;
      chunks.push(chunk);
    }
  } catch {
    return false;
  }
  request.rawBody = Buffer.concat(chunks);
  return true;
}

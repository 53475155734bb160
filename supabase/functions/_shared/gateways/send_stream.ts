import http from "node:http";
import https from "node:https";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A request whose body is sent as it comes. */
export interface StreamedRequest {
  /** @default POST */
  method?: "PUT";
  headers: Record<string, string>;
  body: ReadableStream<Uint8Array>;
  /** Bytes of the body. */
  length: number;
  signal: AbortSignal;
}

/**
 * Sends a stream with its length. `fetch` leaves the length of a stream out, so the platform could not distinguish a whole
 * file from one that was cut off.
 *
 * Rejects when the network, the body or the signal ends it before a response has come; the signal also ends the
 * response's body.
 */
export async function sendStream(
  url: string,
  { method, headers, body, length, signal }: StreamedRequest,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = (url.startsWith("https:") ? https : http).request(url, {
    method: method ?? "POST",
    headers: { ...headers, "content-length": String(length), connection: "close" },
  }, (incoming) => {
    stopWith(signal, incoming);
    resolve(responseOf(incoming));
  });
  stopWith(signal, request);
  request.on("error", reject);
  // A platform may respond, and close, before it has read the whole file: its response counts, not the writing.
  pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), request).catch(reject);
  return await promise;
}

/** Destroys a stream when the signal aborts; leaves no listener behind. */
function stopWith(signal: AbortSignal, stream: Writable | Readable): void {
  const abort = () => void stream.destroy(signal.reason);
  if (signal.aborted) return abort();
  signal.addEventListener("abort", abort, { once: true });
  stream.once("close", () => signal.removeEventListener("abort", abort));
}

function responseOf(incoming: http.IncomingMessage): Response {
  const status = incoming.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  const body = [204, 205, 304].includes(status)
    ? null
    : Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
  return new Response(body, { status, headers });
}

import type { Deadline } from "../../concurrency/deadline.ts";
import { readJson } from "../http_client.ts";
import {
  foreignResponse,
  MAX_RESPONSE_BYTES,
  NOT_SENT,
  type PostedRequest,
  type PostOutcome,
  unknownOutcome,
} from "./posted_request.ts";

/** Posts through `fetch`: where the runtime has no sockets, or a proxy stands between. */
export async function postByFetch(
  fetchWith: typeof fetch,
  { url, headers, body, owns }: PostedRequest,
  { signal }: Deadline,
): Promise<PostOutcome> {
  try {
    const response = await fetchWith(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: bodySentOnce(body),
      redirect: "manual",
      signal,
    });
    const received = await readJson(response, MAX_RESPONSE_BYTES);
    if (owns?.(received) === false) return foreignResponse(response.status);
    return { kind: "responded", httpStatus: response.status, headers: response.headers, body: received };
  } catch (error) {
    const reason = connectFailure(error);
    return reason === null ? unknownOutcome(error) : { kind: "not_sent", reason };
  }
}

/**
 * Returns the body as a stream, which Deno cannot copy. It sends a request whose body it can copy a second time when a
 * kept-alive connection breaks after the first (denoland/deno pull requests 32566 and 36415). The recipient would get the
 * message twice, and a refused second connection would look as if nothing had been sent.
 */
function bodySentOnce(body: () => unknown): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(JSON.stringify(body())));
      controller.close();
    },
  });
}

/**
 * Returns the reason of a failure to connect (refused, name lookup, TLS); null for later failures. Deno's fetch shows the
 * difference only in the text: in the error's message on 2.1, in its cause's on 2.9. Found by experiment; the tests
 * provoke each of them.
 */
function connectFailure(error: unknown): string | null {
  const text = messagesOf(error);
  if (!text.includes("client error (Connect)")) return null;
  if (text.includes("dns error")) return NOT_SENT.name;
  return /\btls\b|certificate|corrupt message/i.test(text) ? NOT_SENT.tls : NOT_SENT.connection;
}

function messagesOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : "";
}

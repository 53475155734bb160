import { startDeadline } from "../../concurrency/deadline.ts";
import type { ConnectionPool } from "../http1/connection_pool.ts";
import { postByFetch } from "./post_by_fetch.ts";
import { postByPool } from "./post_by_pool.ts";
import { NOT_SENT, type PostedRequest, type PostOptions, type PostOutcome } from "./posted_request.ts";

/** How requests reach a platform: by the given `fetch`, else by the connections, else by the runtime's own `fetch`. */
export interface PlatformTransport {
  fetch?: typeof fetch;
  /** Kept alive for many requests, and closed by their owner. */
  connections?: ConnectionPool | undefined;
}

/**
 * Posts JSON to a platform, never a second time by itself. Never throws for what the platform or the network does, and
 * returns `not_sent` only when the request certainly never left this machine. Redirects are not followed.
 */
export async function postOnce(
  { fetch: given, connections }: PlatformTransport,
  request: PostedRequest,
  { timeoutMs, signal, isLate = () => false }: PostOptions,
): Promise<PostOutcome> {
  if (signal?.aborted || isLate()) return { kind: "not_sent", reason: NOT_SENT.stopped };
  const deadline = startDeadline(timeoutMs, signal);
  try {
    return given === undefined && connections !== undefined
      ? await postByPool(connections, request, { deadline, isLate })
      : await postByFetch(given ?? fetch, request, deadline);
  } finally {
    deadline.clear();
  }
}

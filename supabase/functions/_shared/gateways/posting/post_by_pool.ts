import type { Deadline } from "../../concurrency/deadline.ts";
import type { ConnectionPool } from "../http1/connection_pool.ts";
import { ConnectError } from "../http1/endpoint_error.ts";
import { formatHead, formatHeaders, formatTextRequest } from "../http1/request.ts";
import {
  foreignResponse,
  MAX_RESPONSE_BYTES,
  NOT_SENT,
  type PostedRequest,
  type PostOutcome,
  unknownOutcome,
} from "./posted_request.ts";

const LIMITS = {
  head: { bytes: 64 * 1024, lineBytes: 16 * 1024, headers: 200 },
  bodyBytes: MAX_RESPONSE_BYTES,
};

const HEADERS = formatHeaders({
  "user-agent": "outbound",
  accept: "application/json",
  // Decoding costs more than the few bytes it would save.
  "accept-encoding": "identity",
  "content-type": "application/json",
});

/** A URL with the head of the requests to it, as far as they are alike. */
interface Target {
  url: URL;
  head: string;
}

/** A sender's messages go to one URL. To parse it for each costs as much as to write the message. */
const targets = new Map<string, Target>();
const MAX_TARGETS = 1000;

function targetOf(text: string): Target {
  let target = targets.get(text);
  if (target === undefined) {
    const url = new URL(text);
    target = { url, head: formatHead(url, "POST") + HEADERS };
    if (targets.size >= MAX_TARGETS) targets.clear();
    targets.set(text, target);
  }
  return target;
}

/** Posts through connections that are kept alive: less than half the processor time of `fetch`, and no streams to wait for. */
export async function postByPool(
  connections: ConnectionPool,
  { url: target, headers: ownHeaders, body, owns }: PostedRequest,
  { deadline, isLate }: { deadline: Deadline; isLate: () => boolean },
): Promise<PostOutcome> {
  const { url, head } = targetOf(target);
  const request = formatTextRequest(head + formatHeaders(ownHeaders), JSON.stringify(body()));
  let received: unknown;
  let isForeign = false;
  // The response after one that belongs to another request may be the one that is missing here: the connection ends.
  const isOwn = (text: string) => {
    received = parse(text);
    isForeign = owns?.(received) === false;
    return !isForeign;
  };
  try {
    const { head: { status, headers } } = await connections.exchange(url, request, {
      deadline,
      limits: LIMITS,
      isOwn,
      isLate,
    });
    return isForeign
      ? foreignResponse(status)
      : { kind: "responded", httpStatus: status, headers, body: received };
  } catch (error) {
    if (error instanceof ConnectError) return { kind: "not_sent", reason: NOT_SENT[error.step] };
    return unknownOutcome(deadline.signal.aborted ? deadline.signal.reason : error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { KeyState } from "../db/queue/send_context.ts";
import type { Refusal } from "../errors.ts";
import type { ChannelPlan } from "./channel.ts";

/** Nothing is stored. */
export interface Refused {
  kind: "refused";
  refusal: Refusal;
  key: KeyState;
}

/** The database failed while the request was stored. */
export interface Failed {
  kind: "failed";
  error: unknown;
  key: KeyState;
}

/** The campaign is stored. */
export interface Queued {
  kind: "queued";
  response: Record<string, unknown>;
  /** Whether it is the first response to an earlier request with the same idempotency key. */
  isReplay: boolean;
  /** The stored plan; null for a replay. */
  draft: ChannelPlan | null;
  key: KeyState;
}

/** The outcome of a request, with the last known state of its key. */
export type QueueResult = Refused | Failed | Queued;

/** Returns the outcome of a request whose plan is stored. */
export function queued(draft: ChannelPlan, key: KeyState): Queued {
  return { kind: "queued", response: draft.response, isReplay: false, draft, key };
}

/** Returns the outcome of a repeated request: the first response. */
export function replayed(response: unknown, key: KeyState): Queued {
  return {
    kind: "queued",
    response: response as Record<string, unknown>,
    isReplay: true,
    draft: null,
    key,
  };
}

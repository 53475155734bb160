import { encryptPush } from "../crypto/push_encryption.ts";
import { signVapid, type VapidKeys } from "../crypto/vapid.ts";
import {
  type ClaimedPush,
  claimPushes,
  type FinishedPush,
  finishPushes,
} from "../db/webhooks/push_notices.ts";
import { type EndpointResponse, postToEndpoint } from "../gateways/post_to_endpoint.ts";
import type { Queue } from "../sending/queue.ts";
import { createSender, type Sender } from "../sending/sender.ts";
import type { Services } from "../services.ts";
import { scheduledDelayS } from "../values/retry_delay.ts";
import { vapidKeysOf } from "./push_keys.ts";

const MAX_IN_FLIGHT = 64;
/** Of a company, and of a push service: the other slots are for those that are not as slow. */
const MAX_IN_FLIGHT_EACH = 8;
const TIMEOUT_MS = 10_000;
/** Six times as long as any request, so that a lease need not be renewed. */
const LEASE_S = 60;

/** Seconds to wait after the first, second, … failed attempt, and after all that follow. */
const RETRY_SCHEDULE_S = [2, 10, 30, 60, 120];

/**
 * Makes the sender of notifications to members' devices, with an identity of its own: leases are in its name. One whose
 * result is not recorded before the lease ends is sent again, and takes the place of the first on the device.
 */
export function createPushes(services: Services, { signal }: { signal: AbortSignal }): Sender {
  const { log, sql } = services;
  const worker = crypto.randomUUID();
  const queue: Queue<ClaimedPush, { result: FinishedPush }> = {
    name: "pushes",
    span: "push notification",
    leaseS: LEASE_S,
    claim: ({ limit, claimed }) =>
      claimPushes(sql, {
        worker,
        limit,
        limitEach: MAX_IN_FLIGHT_EACH,
        leaseS: LEASE_S,
        exceptCompanies: busy([...claimed].map(({ company_id }) => company_id)),
        exceptServices: busy([...claimed].map(({ service }) => service)),
      }),
    deliver: async (push, isLate) => ({ result: await sendPush(services, push, isLate) }),
    released: (push) => ({ result: resultOf(push, released) }),
    finish: (judgements) => finishPushes(sql, { worker, results: judgements.map(({ result }) => result) }),
    // A claim whose response was lost is due again when its lease ends.
    release: () => Promise.resolve(0),
    recorded: (batch) =>
      batch.forEach(({ item: { service }, judgement: { result: { company_id, outcome, reason } } }) => {
        if (reason) {
          log[outcome === "failed" ? "warn" : "info"]("push not delivered", { company_id, service, reason });
        }
      }),
    facts: ({ company_id, attempt }) => ({ "outbound.company_id": company_id, "outbound.attempt": attempt }),
    describe: ({ result: { company_id, id, outcome } }) => ({ company_id, id, outcome }),
  };
  return createSender(services, queue, { signal, maxInFlight: MAX_IN_FLIGHT });
}

/** Returns what is in the list as often as it may be in flight. */
function busy(list: string[]): string[] {
  return [...new Set(list)].filter((one) => list.filter((each) => each === one).length >= MAX_IN_FLIGHT_EACH);
}

type Verdict = Pick<FinishedPush, "outcome" | "retry_in_s" | "reason">;

const released: Verdict = { outcome: "retry", retry_in_s: 0, reason: null };

function resultOf({ company_id, user_id, subscription_id, id }: ClaimedPush, verdict: Verdict): FinishedPush {
  return { company_id, user_id, subscription_id, id, ...verdict };
}

async function sendPush(services: Services, push: ClaimedPush, isLate: () => boolean): Promise<FinishedPush> {
  const { env, random } = services;
  const keys = vapidKeysOf(env);
  if (keys === null) return resultOf(push, ended("failed", "OUTBOUND_VAPID_PUBLIC_KEY is not set"));
  try {
    const request = await requestOf(services, keys, push);
    if (isLate()) return resultOf(push, released);
    const allowPrivate = env.OUTBOUND_ALLOW_PRIVATE_WEBHOOKS;
    const response = await postToEndpoint(push.endpoint, request, { timeoutMs: TIMEOUT_MS, allowPrivate });
    return resultOf(push, judge(response, scheduledDelayS(RETRY_SCHEDULE_S, push.attempt, random())));
  } catch (error) {
    return resultOf(push, ended("failed", `It cannot be encrypted or signed: ${(error as Error).message}`));
  }
}

/** Nothing of it says who wrote, or what: others may see the screen. */
async function requestOf({ env, now }: Services, keys: VapidKeys, push: ClaimedPush) {
  const { company_id, company_name: company, conversation_id, kind, language, endpoint, ttl_s } = push;
  const authorization = await signVapid(keys, {
    audience: new URL(endpoint).origin,
    subject: env.OUTBOUND_CONSOLE_URL ?? env.OUTBOUND_PUBLIC_URL,
    now: now(),
  });
  const headers = {
    authorization,
    "content-encoding": "aes128gcm",
    "content-type": "application/octet-stream",
    ttl: String(ttl_s),
    urgency: "high",
    // The push service keeps the last one of a conversation for a device that is away.
    topic: conversation_id.replaceAll("-", ""),
  };
  const text = JSON.stringify({ company_id, company, conversation_id, kind, language });
  return { headers, body: await encryptPush(text, push) };
}

function judge(response: EndpointResponse, retry_in_s: number): Verdict {
  if (response.kind === "failed") return { outcome: "retry", retry_in_s, reason: response.reason };
  const { status } = response;
  if (status >= 200 && status < 300) return { outcome: "sent", retry_in_s: null, reason: null };
  const reason = `The push service responded with HTTP ${status}`;
  if (status === 404 || status === 410) return ended("gone", reason);
  return status === 429 || status >= 500 ? { outcome: "retry", retry_in_s, reason } : ended("failed", reason);
}

function ended(outcome: "failed" | "gone", reason: string): Verdict {
  return { outcome, retry_in_s: null, reason };
}

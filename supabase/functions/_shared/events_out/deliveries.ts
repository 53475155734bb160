import { type Sealer, webhookSecretOf } from "../crypto/seal.ts";
import {
  claimDeliveries,
  type ClaimedDelivery,
  finishDeliveries,
  type FinishedDelivery,
  releaseDeliveries,
} from "../db/webhooks/webhooks.ts";
import { type EndpointResponse, postToEndpoint } from "../gateways/post_to_endpoint.ts";
import type { Queue } from "../sending/queue.ts";
import { createSender, type Sender } from "../sending/sender.ts";
import type { Services } from "../services.ts";
import { writeTraceparent } from "../telemetry/trace_context.ts";
import { spreadDelayS } from "../values/retry_delay.ts";
import { VERSION } from "../values/version.ts";
import { signEvent } from "./signing.ts";

const MAX_IN_FLIGHT = 256;
/** Failing endpoints mostly keep a request open until its time is up; the other slots are for the rest. */
const MAX_IN_FLIGHT_TO_FAILING = 64;
/** Six times as long as any request, so that a lease need not be renewed. */
const LEASE_S = 60;

/**
 * Makes the sender of events to the companies' endpoints, with an identity of its own: leases are in its name. An event
 * whose result is not recorded before the lease ends is delivered again, with the same id.
 */
export function createDeliveries(services: Services, { signal }: { signal: AbortSignal }): Sender {
  const { env, log, metrics, sql } = services;
  const worker = crypto.randomUUID();
  const context = { ...services, allowPrivate: env.OUTBOUND_ALLOW_PRIVATE_WEBHOOKS };

  function report({ company_id, event_id, error, gone, outcome, duration_ms }: FinishedDelivery): void {
    if (outcome === "released") return;
    metrics.deliveries.add([gone ? "gone" : outcome]);
    metrics.deliveryDuration.observe([], duration_ms / 1000);
    if (gone) log.warn("webhook stopped: its endpoint is gone", { company_id });
    else if (error) log.info("event not delivered", { company_id, event_id, reason: error });
  }

  const queue: Queue<ClaimedDelivery, { result: FinishedDelivery }> = {
    name: "deliveries",
    span: "deliver event",
    leaseS: LEASE_S,
    claim: ({ limit, claimed }) =>
      claimDeliveries(sql, { worker, limit, maxFailing: roomForFailing(claimed), leaseS: LEASE_S }),
    deliver: async (delivery, isLate) => ({ result: await sendDelivery(context, delivery, isLate) }),
    released: (delivery) => ({ result: released(delivery) }),
    async finish(judgements) {
      await finishDeliveries(sql, { worker, results: judgements.map(({ result }) => result) });
    },
    release: (known) => releaseDeliveries(sql, { worker, known }),
    recorded: (batch) => batch.forEach(({ judgement }) => report(judgement.result)),
    facts: ({ company_id, attempt }) => ({ "outbound.company_id": company_id, "outbound.attempt": attempt }),
    describe: ({ result: { company_id, event_id, attempt, outcome } }) => ({
      company_id,
      event_id,
      attempt,
      outcome,
    }),
  };
  return createSender(services, queue, { signal, maxInFlight: MAX_IN_FLIGHT });
}

function roomForFailing(claimed: ReadonlySet<ClaimedDelivery>): number {
  let failing = 0;
  for (const { is_failing } of claimed) if (is_failing) failing++;
  return Math.max(0, MAX_IN_FLIGHT_TO_FAILING - failing);
}

function released({ company_id, event_id, attempt }: ClaimedDelivery): FinishedDelivery {
  const nothing = {
    request_headers: null,
    response_status: null,
    response_body: null,
    error: null,
    duration_ms: 0,
    retry_in_s: null,
  };
  return { company_id, event_id, attempt, outcome: "released", ...nothing, gone: false };
}

/** The services that sending an event uses. */
export interface DeliveryContext {
  sealer: Sealer;
  now(): Date;
  /** Evenly spread over 0 ≤ x < 1. */
  random(): number;
  allowPrivate: boolean;
  /** Names the span of the delivery to the endpoint, so that a company can follow an event into its own traces. */
  tracing?: Pick<Services["tracing"], "current">;
}

const TIMEOUT_MS = 10_000;
const GONE = 410;

/** Sends one event to its endpoint, unless `isLate`, and returns the result. Any 2xx is success; never throws. */
export async function sendDelivery(
  context: DeliveryContext,
  delivery: ClaimedDelivery,
  isLate: () => boolean = () => false,
): Promise<FinishedDelivery> {
  const started = performance.now();
  const secrets = await openSecrets(context.sealer, delivery);
  // The last moment to release it: the process may have been suspended since the claim.
  if (isLate()) return released(delivery);
  const { headers, response }: Exchange = Array.isArray(secrets)
    ? await post(context, delivery, secrets)
    : { headers: null, response: { kind: "failed", reason: secrets.unreadable } };
  const { company_id, event_id, attempt } = delivery;
  const succeeded = response.kind === "responded" && response.status >= 200 && response.status < 300;
  const gone = response.kind === "responded" && response.status === GONE;
  return {
    company_id,
    event_id,
    attempt,
    outcome: succeeded ? "succeeded" : "failed",
    request_headers: headers,
    response_status: response.kind === "responded" ? response.status : null,
    response_body: response.kind === "responded" ? response.body : null,
    error: succeeded ? null : errorOf(response),
    duration_ms: Math.round(performance.now() - started),
    retry_in_s: succeeded || gone ? null : nextAttemptInS(delivery.attempt_since_replay, context.random()),
    gone,
  };
}

/** A request's headers, and the response to it. */
interface Exchange {
  headers: Record<string, string> | null;
  response: EndpointResponse;
}

async function post(
  context: DeliveryContext,
  { event_id: id, payload, url }: ClaimedDelivery,
  secrets: string[],
): Promise<Exchange> {
  const span = context.tracing?.current();
  const headers = {
    "content-type": "application/json",
    "user-agent": `outbound/${VERSION}`,
    ...(span && { traceparent: writeTraceparent(span) }),
    ...signEvent(secrets, { id, at: context.now(), payload }),
  };
  const { allowPrivate } = context;
  const limits = { timeoutMs: TIMEOUT_MS, allowPrivate };
  return { headers, response: await postToEndpoint(url, { headers, body: payload }, limits) };
}

async function openSecrets(
  sealer: Sealer,
  { company_id, secret_sealed, old_secret_sealed }: ClaimedDelivery,
): Promise<string[] | { unreadable: string }> {
  const sealed = old_secret_sealed === null ? [secret_sealed] : [secret_sealed, old_secret_sealed];
  const owner = webhookSecretOf(company_id);
  return await Promise.all(sealed.map((text) => sealer.open(text, owner))).catch((error: Error) => ({
    unreadable: `The webhook's secret cannot be opened: ${error.message}`,
  }));
}

function errorOf(response: EndpointResponse): string {
  if (response.kind === "failed") return response.reason;
  const redirected = response.status >= 300 && response.status < 400 ? "; redirects are not followed" : "";
  return `The endpoint responded with HTTP ${response.status}${redirected}`;
}

/**
 * Seconds to wait after the first, second, … failed attempt: short ones for a restart, long ones for an outage. Of eight
 * attempts in all, the last comes almost a day after the first.
 */
const RETRY_SCHEDULE_S = [5, 300, 1800, 7200, 18_000, 21_600, 36_000];

/** How much a wait may differ from the schedule. */
const JITTER = 0.1;

/**
 * Returns the seconds until the next attempt; null after the last one.
 *
 * @param failedAttempt the number of the attempt that failed, from 1
 * @param random evenly spread over 0 ≤ x < 1
 */
export function nextAttemptInS(failedAttempt: number, random: number): number | null {
  const base = RETRY_SCHEDULE_S[failedAttempt - 1];
  return base === undefined ? null : spreadDelayS(base, random, JITTER);
}

import { createBatcher } from "../concurrency/batcher.ts";
import { coalesce } from "../concurrency/coalesce.ts";
import { type Sealer, webhookSecretOf } from "../crypto/seal.ts";
import {
  claimDeliveries,
  type ClaimedDelivery,
  finishDeliveries,
  type FinishedDelivery,
} from "../db/webhooks/webhooks.ts";
import { type EndpointResponse, postToEndpoint } from "../gateways/post_to_endpoint.ts";
import { describeError, failureLevel } from "../log.ts";
import { readTraceparent, writeTraceparent } from "../telemetry/trace_context.ts";
import type { Services } from "../services.ts";
import { VERSION } from "../values/version.ts";
import { signEvent } from "./signing.ts";

/** Delivers outgoing events in the background. */
export interface Deliveries {
  /** Claims what is due, as far as there is room, and begins to deliver it. */
  claim(): Promise<void>;
  /** Delivers until nothing is due, or `signal` aborts. */
  untilIdle(signal: AbortSignal): Promise<void>;
  /** Claims no more, and resolves when the requests in flight have ended: after 10 seconds at most. */
  stop(): Promise<void>;
}

const MAX_IN_FLIGHT = 256;
/** Failing endpoints mostly keep a request open until its time is up; the other slots are for the rest. */
const MAX_IN_FLIGHT_TO_FAILING = 64;
/** Longer than any request, so that no lease ends under a living worker. */
const LEASE_S = 60;
const MAX_RESULTS_PER_BATCH = 100;

/** Makes a worker that delivers events to the companies' endpoints. Any number of workers may run at once. */
export function createDeliveries(services: Services): Deliveries {
  const { env, log, metrics, sql, tracing } = services;
  const worker = crypto.randomUUID();
  const context = { ...services, allowPrivate: env.ALLOW_PRIVATE_WEBHOOKS };
  const inFlight = new Set<Promise<void>>();
  let inFlightToFailing = 0;
  let isStopped = false;
  const results = createBatcher(async (finished: FinishedDelivery[]) => {
    await finishDeliveries(sql, { worker, results: finished });
    return finished;
  }, { maxItems: MAX_RESULTS_PER_BATCH });

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const facts = { "outbound.company_id": delivery.company_id };
    const request = readTraceparent(delivery.trace);
    const finished = await tracing.span(
      "deliver event",
      { kind: "client", facts, links: request ? [request] : [] },
      () => sendDelivery(context, delivery),
    );
    const { company_id, event_id, error, gone } = finished;
    metrics.deliveries.add([gone ? "gone" : finished.outcome]);
    metrics.deliveryDuration.observe([], finished.duration_ms / 1000);
    if (gone) log.warn("webhook stopped: its endpoint is gone", { company_id });
    else if (error) log.info("event not delivered", { company_id, event_id, reason: error });
    await results.add(finished);
  }

  function start(delivery: ClaimedDelivery): void {
    const failing = delivery.is_failing ? 1 : 0;
    inFlightToFailing += failing;
    const work = deliver(delivery)
      // Its lease runs out, and then it is delivered again.
      .catch((error) =>
        log[failureLevel(error)]("the result of a delivery could not be recorded", describeError(error))
      )
      .finally(() => {
        inFlight.delete(work);
        inFlightToFailing -= failing;
        requestClaim().catch((error) =>
          log[failureLevel(error)]("events: claiming failed", describeError(error))
        );
      });
    inFlight.add(work);
  }

  const requestClaim = coalesce(async () => {
    const limit = MAX_IN_FLIGHT - inFlight.size;
    if (limit === 0 || isStopped) return;
    const maxFailing = Math.max(0, MAX_IN_FLIGHT_TO_FAILING - inFlightToFailing);
    const claimed = await claimDeliveries(sql, { worker, limit, maxFailing, leaseS: LEASE_S });
    claimed.forEach(start);
  });

  return {
    claim: requestClaim,
    async untilIdle(signal) {
      await requestClaim();
      while (inFlight.size > 0 && !signal.aborted) {
        await Promise.race(inFlight);
        await requestClaim();
      }
    },
    async stop() {
      isStopped = true;
      // Runs after a claim under way, and claims nothing itself.
      await requestClaim();
      await Promise.all(inFlight);
    },
  };
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

/** Sends one event to its endpoint and returns the result. Any 2xx is success; never throws. */
export async function sendDelivery(
  context: DeliveryContext,
  delivery: ClaimedDelivery,
): Promise<FinishedDelivery> {
  const started = performance.now();
  const response = await post(context, delivery);
  const { company_id, event_id, attempt } = delivery;
  const succeeded = response.kind === "responded" && response.status >= 200 && response.status < 300;
  const gone = response.kind === "responded" && response.status === GONE;
  return {
    company_id,
    event_id,
    attempt,
    outcome: succeeded ? "succeeded" : "failed",
    response_status: response.kind === "responded" ? response.status : null,
    response_body: response.kind === "responded" ? response.body : null,
    error: succeeded ? null : errorOf(response),
    duration_ms: Math.round(performance.now() - started),
    retry_in_s: succeeded || gone ? null : nextTryInS(delivery.try, context.random()),
    gone,
  };
}

async function post(context: DeliveryContext, delivery: ClaimedDelivery): Promise<EndpointResponse> {
  const { event_id: id, payload, url } = delivery;
  const secrets = await openSecrets(context.sealer, delivery);
  if (!Array.isArray(secrets)) {
    return { kind: "failed", reason: secrets.unreadable };
  }
  const span = context.tracing?.current();
  const headers = {
    "content-type": "application/json",
    "user-agent": `outbound/${VERSION}`,
    ...(span && { traceparent: writeTraceparent(span) }),
    ...signEvent(secrets, { id, at: context.now(), payload }),
  };
  const { allowPrivate } = context;
  return await postToEndpoint(url, { headers, body: payload }, { timeoutMs: TIMEOUT_MS, allowPrivate });
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
 * Seconds to wait after the first, second, … failed try: short ones for a restart, long ones for an outage. Of eight tries
 * in all, the last comes almost a day after the first.
 */
const RETRY_SCHEDULE_S = [5, 300, 1800, 7200, 18_000, 21_600, 36_000];

/** How much a wait may differ from the schedule, so that events that failed together are not retried together. */
const JITTER = 0.1;

/**
 * Returns the seconds until the next try; null after the last one.
 *
 * @param failedTry the number of the try that failed, from 1
 * @param random evenly spread over 0 ≤ x < 1
 */
export function nextTryInS(failedTry: number, random: number): number | null {
  const base = RETRY_SCHEDULE_S[failedTry - 1];
  return base === undefined ? null : base * (1 - JITTER + 2 * JITTER * random);
}

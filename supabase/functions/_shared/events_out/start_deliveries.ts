import { createBatcher } from "../batcher.ts";
import {
  claimDeliveries,
  type ClaimedDelivery,
  finishDeliveries,
  type FinishedDelivery,
} from "../db/webhook_deliveries.ts";
import { repeat } from "../dispatching/repeat.ts";
import { describeError } from "../log.ts";
import type { Services } from "../services.ts";
import { sendDelivery } from "./send_delivery.ts";

export interface Deliveries {
  /** Delivers until nothing is due, or `signal` aborts. */
  untilIdle(signal: AbortSignal): Promise<void>;
  /** Claims no more and waits for what is under way: at most as long as an endpoint may take to answer. */
  stop(): Promise<void>;
}

const LOOK_MS = 1000;
const MOST_IN_FLIGHT = 256;
/** Endpoints in trouble mostly keep a request open until its time is up; the rest of the room is for the others. */
const MOST_TROUBLED = 64;
/** Longer than any request, so that a lease never ends under a living worker. */
const LEASE_S = 60;
const MOST_RESULTS_A_CALL = 100;

/** Offers outgoing events to the companies' endpoints, as soon as they are due. Any number of workers may run at once. */
export function startDeliveries(services: Services): Deliveries {
  const { env, log, sql } = services;
  const worker = crypto.randomUUID();
  const context = { ...services, allowPrivate: env.ALLOW_PRIVATE_WEBHOOKS };
  const flights = new Set<Promise<void>>();
  let troubledFlights = 0;
  let stopped = false;
  let asked = false;
  let claiming: Promise<void> | null = null;
  const results = createBatcher(async (finished: FinishedDelivery[]) => {
    await finishDeliveries(sql, { worker, results: finished });
    return finished;
  }, { maxItems: MOST_RESULTS_A_CALL });

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const finished = await sendDelivery(context, delivery);
    const { company_id, event_id, error, gone } = finished;
    if (gone) log.warn("webhook stopped: its endpoint is gone", { company_id });
    else if (error) log.info("event not delivered", { company_id, event_id, reason: error });
    await results.add(finished);
  }

  function takeOff(delivery: ClaimedDelivery): void {
    const count = delivery.troubled ? 1 : 0;
    troubledFlights += count;
    const flight = deliver(delivery)
      // Its lease ends, and then it is offered again.
      .catch((error) => log.error("a delivery was not written down", describeError(error)))
      .finally(() => {
        flights.delete(flight);
        troubledFlights -= count;
        look().catch((error) => log.error("events: claiming failed", describeError(error)));
      });
    flights.add(flight);
  }

  async function claim(): Promise<void> {
    const limit = MOST_IN_FLIGHT - flights.size;
    if (limit === 0) return;
    const troubled = Math.max(0, MOST_TROUBLED - troubledFlights);
    const claimed = await claimDeliveries(sql, { worker, limit, troubled, leaseS: LEASE_S });
    claimed.forEach(takeOff);
  }

  async function claimWhileAsked(): Promise<void> {
    try {
      while (asked && !stopped) {
        asked = false;
        await claim();
      }
    } finally {
      claiming = null;
    }
  }

  /** One claim at a time; asking during one brings about exactly one more. */
  function look(): Promise<void> {
    asked = true;
    return claiming ??= claimWhileAsked();
  }

  const chore = repeat(services, LOOK_MS, look);
  return {
    async untilIdle(signal) {
      await look();
      while (flights.size > 0 && !signal.aborted) {
        await Promise.race(flights);
        await look();
      }
    },
    async stop() {
      stopped = true;
      await chore.stop();
      await claiming;
      await Promise.all(flights);
    },
  };
}

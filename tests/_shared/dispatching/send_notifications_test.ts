import assert from "node:assert/strict";
import fc from "fast-check";
import {
  createWakeSignal,
  type WakeSignal,
} from "../../../supabase/functions/_shared/concurrency/wake_signal.ts";
import type {
  ClaimedNotification,
  FinishedNotification,
} from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import type { Deliver } from "../../../supabase/functions/_shared/dispatching/deliver.ts";
import { judgeOutcome } from "../../../supabase/functions/_shared/dispatching/judge_outcome.ts";
import { createLookout } from "../../../supabase/functions/_shared/dispatching/lookout.ts";
import {
  createNotificationSender,
  type NotificationSender,
  type NotificationSenderOptions,
} from "../../../supabase/functions/_shared/dispatching/send_notifications.ts";
import type { Services } from "../../../supabase/functions/_shared/services.ts";
import { createMetrics } from "../../../supabase/functions/_shared/telemetry/metrics.ts";
import { NO_TRACING } from "../../../supabase/functions/_shared/telemetry/tracing.ts";
import { collectLog } from "../../setup/stack/collect_log.ts";
import { eventually } from "../../setup/eventually.ts";

interface Claim {
  limit: number;
  except: string[];
}

interface Setup {
  sender: NotificationSender;
  /** The claims so far. */
  claims: Claim[];
  /** The ids that were kept each time the rest of the claims was released. */
  kept: string[][];
  /** The ids whose leases were renewed, each time. */
  renewed: string[][];
  /** The recorded outcomes by id. */
  recorded: Map<string, string>;
  stop(): void;
  notify(): void;
}

interface Surroundings {
  /** Milliseconds until something is due, as the database says; null for never. */
  untilDue: () => number | null;
  newWork: WakeSignal;
  /** Called before each claim, with its number from 1. */
  onClaim(count: number, stop: () => void): void;
}

/** A sender on a queue that returns these batches, one per claim, and nothing afterwards. */
function setup(
  batches: (ClaimedNotification[] | Error)[],
  options: Partial<Omit<NotificationSenderOptions, "signal" | "lookout">> = {},
  { untilDue = () => null, newWork = createWakeSignal(), onClaim = () => {} }: Partial<Surroundings> = {},
): Setup {
  const left = [...batches];
  const found = { claims: [] as Claim[], kept: [] as string[][], renewed: [] as string[][] };
  const recorded = new Map<string, string>();
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const queries: [statement: string, run: (values: unknown[]) => unknown[]][] = [
    ["claim_notifications", ([, limit, , except]) => {
      found.claims.push({ limit, except } as Claim);
      onClaim(found.claims.length, stop);
      const batch = left.shift() ?? [];
      if (batch instanceof Error) throw batch;
      return [{ claimed: claimedOf(batch) }];
    }],
    ["finish_notifications", ([, results]) => {
      for (const { id, outcome } of results as FinishedNotification[]) recorded.set(id, outcome);
      return [{ changed: 1 }];
    }],
    ["release_claimed", ([, , ids]) => {
      found.kept.push(ids as string[]);
      return [{ released: 0 }];
    }],
    ["renew_leases", ([, , , ids]) => {
      found.renewed.push(ids as string[]);
      return [];
    }],
    ["next_due", () => [{ ms: untilDue(), chores: null }]],
  ];
  const sql = Object.assign((strings: string[], ...values: unknown[]) => {
    const statement = strings.join("");
    const [, run] = queries.find(([name]) => statement.includes(name))!;
    return Promise.resolve().then(() => run(values));
  }, { json: (value: unknown) => value });
  const services = {
    env: { OUTBOUND_DISPATCH_LEASE_S: 60, OUTBOUND_UNCONFIRMED_WINDOW_S: 120 },
    log: collectLog().log,
    metrics: createMetrics(),
    tracing: NO_TRACING,
    newWork,
    now: () => new Date(),
    sql,
    inBackground: (work: Promise<unknown>) => void work.catch(() => {}),
  };
  const sender = createNotificationSender(services as unknown as Services, {
    lookout: createLookout(services.sql as unknown as Services["sql"]),
    deliver: never,
    ...options,
    signal: stopping.signal,
  });
  return { sender, ...found, recorded, stop, notify: newWork.notify };
}

function notification(company = "company"): ClaimedNotification {
  const ids = { company_id: company, campaign_id: company, id: crypto.randomUUID() };
  return { ...ids, fence: 1, attempt: 1 } as ClaimedNotification;
}

/** Messages as the database returns them. */
function claimedOf(batch: ClaimedNotification[]) {
  if (batch.length === 0) return null;
  return {
    campaigns: batch.map(({ company_id, campaign_id }) => ({ company_id, campaign_id })),
    messages: batch.map(({ campaign_id, id, fence, attempt }) => [campaign_id, id, fence, attempt]),
  };
}

const send: Deliver = (notification) =>
  Promise.resolve(judgeOutcome({
    notification,
    startedAt: new Date(),
    outcome: { kind: "accepted", platformMessageId: "wamid.A", httpStatus: 200, platformNumber: null },
    random: 0,
  }));

const never: Deliver = () => new Promise(() => {});

Deno.test("run() ends after maxMessages, with each of them recorded", async () => {
  const batches = [[notification()], [notification(), notification()]];
  const t = setup(batches, { deliver: send, maxMessages: 3 });

  const ended = await t.sender.run();

  assert.deepEqual([ended, t.sender.sent(), t.claims.map(({ limit }) => limit)], ["max_messages", 3, [3, 2]]);
  assert.deepEqual([...t.recorded.keys()], batches.flat().map(({ id }) => id));
});

Deno.test("a notification whose sending fails in an unknown way is not released: it may have been sent", async () => {
  const [unknown] = [notification()];
  const t = setup([[unknown], new Error("Connection reset"), []], {
    deliver: () => Promise.reject(new TypeError("unexpected")),
    untilIdle: true,
  });

  await t.sender.run();
  await t.sender.renewLeases();

  assert.deepEqual([t.kept, t.renewed, t.recorded.size], [[[unknown.id]], [[]], 0]);
});

Deno.test("while a busy company takes all slots, the sender claims for the others", async () => {
  const busy = Array.from({ length: 32 }, () => notification("busy"));
  const t = setup([busy, [notification("other")]], { maxInFlight: 32 });

  t.sender.run();
  await eventually(() => assert.ok(t.claims.length >= 2));
  t.stop();

  assert.deepEqual(t.claims.slice(0, 2), [{ limit: 32, except: [] }, { limit: 32, except: ["busy"] }]);
});

Deno.test("renewLeases() keeps what is claimed until its result is recorded", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const [sending] = [notification()];
  const t = setup([[sending]], {
    deliver: (...claim) => promise.then(() => send(...claim)),
    untilIdle: true,
  });
  const ended = t.sender.run();
  await eventually(() => assert.equal(t.claims.length, 2));

  await t.sender.renewLeases();
  resolve();
  await ended;
  await t.sender.renewLeases();

  assert.deepEqual(t.renewed, [[sending.id], []]);
});

Deno.test("run() until idle ends only when nothing is in flight", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const t = setup([[notification()]], {
    deliver: (...claim) => promise.then(() => send(...claim)),
    untilIdle: true,
  });
  let isOver = false;
  const ended = t.sender.run().finally(() => isOver = true);
  await eventually(() => assert.equal(t.claims.length, 2));
  const early = isOver;

  resolve();

  assert.deepEqual([early, await ended, t.recorded.size], [false, "idle", 1]);
});

/** Time that passes only while a sender waits. */
function waitingClock(): { now: number; newWork: WakeSignal } {
  const clock = {
    now: 0,
    newWork: {
      notify() {},
      wait(ms: number) {
        clock.now += ms;
        return Promise.resolve(false);
      },
    },
  };
  return clock;
}

/** Stops a sender at its second claim. */
const onClaim: Surroundings["onClaim"] = (count, stop) => count === 2 && stop();

Deno.test("an idle sender looks and does not claim, four times per second, until something is due", async () => {
  const clock = waitingClock();
  let looks = 0;
  const untilDue = () => {
    looks++;
    return 60_000 - clock.now;
  };
  const t = setup([], {}, { untilDue, newWork: clock.newWork, onClaim });

  await t.sender.run();

  assert.deepEqual([t.claims.length, clock.now, looks], [2, 60_000, 240]);
});

Deno.test("an idle sender is there when a message is due, and 250 ms after one that another process queued", () =>
  fc.assert(fc.asyncProperty(
    fc.integer({ min: 1, max: 5_000 }),
    fc.integer({ min: 1, max: 5_000 }),
    async (dueAt, queuedAt) => {
      const clock = waitingClock();
      const nextAt = () => clock.now >= queuedAt ? Math.min(dueAt, queuedAt) : dueAt;
      const untilDue = () => nextAt() - clock.now;
      const t = setup([], {}, { untilDue, newWork: clock.newWork, onClaim });

      await t.sender.run();

      assert.ok(clock.now <= Math.min(dueAt, queuedAt + 250), `${clock.now} ms`);
    },
  )));

Deno.test("a sender claims at once when its own process queued something", async () => {
  const t = setup([], {}, { onClaim });
  const ended = t.sender.run();
  await eventually(() => assert.equal(t.claims.length, 1));

  t.notify();

  assert.equal(await ended, "stopped");
});

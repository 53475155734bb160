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
  createWorker,
  type Worker,
  type WorkerOptions,
} from "../../../supabase/functions/_shared/dispatching/worker.ts";
import type { Services } from "../../../supabase/functions/_shared/services.ts";
import { type CollectedLog, collectLog } from "../../setup/collect_log.ts";
import { createMetrics } from "../../../supabase/functions/_shared/telemetry/metrics.ts";
import { NO_TRACING } from "../../../supabase/functions/_shared/telemetry/tracing.ts";

interface Claim {
  limit: number;
  except: string[];
}

interface Setup {
  worker: Worker;
  /** The claims so far. */
  claims: Claim[];
  /** The ids that were kept each time the rest of the claims was released. */
  kept: string[][];
  /** The ids whose leases were renewed, each time. */
  renewed: string[][];
  /** The recorded outcomes by id. */
  recorded: Map<string, string>;
  log: CollectedLog;
  stop: AbortController;
  notify(): void;
}

interface Surroundings {
  /** Milliseconds until something is due, as the database says; null for never. */
  untilDue: () => number | null;
  newWork: WakeSignal;
}

/** A worker on a queue that returns these batches, one per claim, and nothing afterwards. */
function setup(
  batches: (ClaimedNotification[] | Error)[],
  options: Partial<Omit<WorkerOptions, "signal" | "lookout">> = {},
  { untilDue = () => null, newWork = createWakeSignal() }: Partial<Surroundings> = {},
): Setup {
  const left = [...batches];
  const found = { claims: [] as Claim[], kept: [] as string[][], renewed: [] as string[][] };
  const recorded = new Map<string, string>();
  const queries: [statement: string, run: (values: unknown[]) => unknown[]][] = [
    ["claim_notifications", ([, limit, , except]) => {
      found.claims.push({ limit, except } as Claim);
      const batch = left.shift() ?? [];
      if (batch instanceof Error) throw batch;
      return batch;
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
  }, { json: (value: { toJSON(): unknown }) => value.toJSON() });
  const [log, stop] = [collectLog(), new AbortController()];
  const services = {
    env: { DISPATCH_LEASE_S: 60, UNCONFIRMED_WINDOW_S: 120 },
    log: log.log,
    metrics: createMetrics(),
    tracing: NO_TRACING,
    newWork,
    now: () => new Date(),
    sql,
    inBackground: (work: Promise<unknown>) => void work.catch(() => {}),
  };
  const worker = createWorker(services as unknown as Services, {
    lookout: createLookout(services.sql as unknown as Services["sql"]),
    deliver: never,
    ...options,
    signal: stop.signal,
  });
  return { worker, ...found, recorded, log, stop, notify: newWork.notify };
}

function notification(company = "company"): ClaimedNotification {
  return { company_id: company, id: crypto.randomUUID(), fence: 1, attempt: 1 } as ClaimedNotification;
}

const send: Deliver = (notification) =>
  Promise.resolve(judgeOutcome({
    notification,
    startedAt: new Date(),
    outcome: { kind: "accepted", providerMessageId: "wamid.A", httpStatus: 200, platformNumber: null },
    random: 0,
  }));

const never: Deliver = () => new Promise(() => {});

function idsOf(batch: ClaimedNotification[]): string[] {
  return batch.map(({ id }) => id);
}

Deno.test("claim() delivers its batch, and drain() waits until each result is recorded", async () => {
  const batch = [notification(), notification()];
  const t = setup([batch], { deliver: send });

  const claimed = await t.worker.claim();
  await t.worker.drain();

  assert.equal(claimed, 2);
  assert.deepEqual([...t.recorded], idsOf(batch).map((id) => [id, "sent"]));
});

Deno.test("claim() hands back, untried, a batch that comes after the signal to stop", async () => {
  const batch = [notification(), notification()];
  const t = setup([batch], { deliver: () => Promise.reject(new Error("must not be tried")) });

  const claiming = t.worker.claim();
  t.stop.abort();
  const claimed = await claiming;
  await t.worker.drain();

  assert.equal(claimed, 0);
  assert.deepEqual([...t.recorded.values()], ["released", "released"]);
});

Deno.test("claim() takes no more than maxMessages in all", async () => {
  const t = setup([[notification()], [notification(), notification()]], { deliver: send, maxMessages: 3 });

  await t.worker.claim();
  const before = t.worker.mayClaim();
  await t.worker.claim();

  assert.deepEqual([before, t.worker.mayClaim(), t.claims.map(({ limit }) => limit)], [true, false, [3, 2]]);
});

Deno.test("a claim that fails is released before the next one, but not what is in flight", async () => {
  const [sending] = [notification()];
  const t = setup([[sending], new Error("Connection reset"), []], { deliver: never });
  await t.worker.claim();
  const failure = await t.worker.claim().catch((error) => error);
  assert.deepEqual(t.kept, []);

  t.notify();
  await t.worker.claimFailed(failure);
  await t.worker.claim();

  assert.deepEqual([t.kept, t.claims.length], [[[sending.id]], 3]);
  assert.deepEqual(t.log.lines("error"), ["dispatcher: claiming failed"]);
});

Deno.test("a notification whose sending fails in an unknown way is not released: it may have been sent", async () => {
  const [unknown] = [notification()];
  const t = setup([[unknown], new Error("Connection reset"), []], {
    deliver: () => Promise.reject(new TypeError("unexpected")),
  });
  await t.worker.claim();
  const failure = await t.worker.claim().catch((error) => error);

  t.notify();
  await t.worker.claimFailed(failure);
  await t.worker.drain();
  await t.worker.renewLeases();

  assert.deepEqual([t.kept, t.renewed, t.recorded.size], [[[unknown.id]], [[]], 0]);
});

Deno.test("waitForWork() claims for the other companies while a busy one takes all slots", async () => {
  const busy = Array.from({ length: 32 }, () => notification("busy"));
  const t = setup([busy, [notification("other")]], { deliver: never, maxInFlight: 32 });
  await t.worker.claim();

  await t.worker.waitForWork();

  assert.deepEqual(t.claims, [{ limit: 32, except: [] }, { limit: 32, except: ["busy"] }]);
});

Deno.test("renewLeases() keeps what is claimed until its result is recorded", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const [sending] = [notification()];
  const t = setup([[sending]], { deliver: (...claim) => promise.then(() => send(...claim)) });
  await t.worker.claim();

  await t.worker.renewLeases();
  resolve();
  await t.worker.drain();
  await t.worker.renewLeases();

  assert.deepEqual(t.renewed, [[sending.id], []]);
});

Deno.test("waitForWork() until idle ends only when nothing is in flight", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const t = setup([[notification()]], { deliver: (...claim) => promise.then(() => send(...claim)) });
  await t.worker.claim();

  t.notify();
  const sending = await t.worker.waitForWork(true);
  resolve();
  await t.worker.drain();

  assert.deepEqual([sending, await t.worker.waitForWork(true)], [true, false]);
});

/** Time that passes only while somebody waits. */
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

Deno.test("an idle worker looks and does not claim, four times per second, until something is due", async () => {
  const clock = waitingClock();
  let looks = 0;
  const untilDue = () => {
    looks++;
    return 60_000 - clock.now;
  };
  const t = setup([], { deliver: never }, { untilDue, newWork: clock.newWork });

  await t.worker.waitForWork();

  assert.deepEqual([t.claims.length, clock.now, looks], [0, 60_000, 240]);
});

Deno.test("an idle worker is there when a message is due, and 250 ms after one that another process queued", () =>
  fc.assert(fc.asyncProperty(
    fc.integer({ min: 1, max: 5_000 }),
    fc.integer({ min: 1, max: 5_000 }),
    async (dueAt, queuedAt) => {
      const clock = waitingClock();
      const nextAt = () => clock.now >= queuedAt ? Math.min(dueAt, queuedAt) : dueAt;
      const t = setup([], { deliver: never }, {
        untilDue: () => nextAt() - clock.now,
        newWork: clock.newWork,
      });

      await t.worker.waitForWork();

      assert.ok(clock.now <= Math.min(dueAt, queuedAt + 250), `${clock.now} ms`);
    },
  )));

Deno.test("a worker claims at once when its own process queued something", async () => {
  const t = setup([], { deliver: never });
  const waiting = t.worker.waitForWork();

  t.notify();

  assert.equal(await waiting, true);
});

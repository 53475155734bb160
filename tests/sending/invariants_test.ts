import assert from "node:assert/strict";
import type { Sender } from "../../supabase/functions/_shared/sending/sender.ts";
import type { Services } from "../../supabase/functions/_shared/services.ts";
import { collectLog } from "../setup/stack/collect_log.ts";
import { eventually } from "../setup/eventually.ts";
import {
  databaseError,
  type Environment,
  interfereWith,
  QUEUES,
  type RowState,
  type TestedQueue,
  withQueues,
} from "./with_queues.ts";

/** More than half of every lease. */
const SUSPENDED_MS = 31_000;

/** Counts what a claim returned: a row each, or all messages in one value. */
function countClaimed(rows: unknown[]): number {
  const [first] = rows as { claimed?: { messages: unknown[] } | null }[];
  return first?.claimed === undefined ? rows.length : first.claimed?.messages.length ?? 0;
}

function statesFor(ids: string[], state: RowState["state"], attempt: number): RowState[] {
  return ids.toSorted().map((id) => ({ id, attempt, state }));
}

/** Registers the tests of one queue. */
function testQueue(queue: TestedQueue): void {
  const { claim, finish } = queue.functions;

  /** Runs one sender while `fn` does, then stops it. */
  const running = async (services: Services, fn: (sender: Sender) => Promise<void>): Promise<void> => {
    const stop = new AbortController();
    const sender = queue.create(services, stop.signal);
    const ended = sender.run();
    try {
      await fn(sender);
    } finally {
      stop.abort();
      await ended;
    }
  };

  const eventuallyStates = async (t: Environment, expected: RowState[]): Promise<void> => {
    await eventually(async () => {
      const states = await queue.statesOf(t);
      assert.deepEqual(states.map(({ id, attempt, state }) => ({ id, attempt, state })), expected);
    }, 15_000);
  };

  Deno.test(`${queue.name}: a row is sent once, by however many senders`, () =>
    withQueues(async (t) => {
      const ids = await queue.fill(t, 60);

      await running(t.services, () =>
        running(t.services, () =>
          running(t.services, () => eventuallyStates(t, statesFor(ids, "sent", 1)))));

      assert.deepEqual(t.received.toSorted(), ids.toSorted());
    }));

  Deno.test(`${queue.name}: what was claimed before the machine was suspended is handed back, up to the moment it would leave`, () =>
    withQueues(async (t) => {
      const [id] = await queue.fill(t, 1);
      let [offMs, claims] = [0, 0];
      const { sealer } = t.services;
      const services: Services = {
        ...t.services,
        sql: interfereWith(t.sql, { [claim]: { after: (rows) => void (claims += countClaimed(rows)) } }),
        // After a suspension the monotonic clock has gone on as if nothing had been.
        now: () => new Date(Date.now() + offMs),
        sealer: {
          ...sealer,
          async open(...sealed) {
            const secret = await sealer.open(...sealed);
            if (claims > 0) offMs = SUSPENDED_MS;
            return secret;
          },
        },
      };

      await running(services, () => eventuallyStates(t, statesFor([id!], "sent", 1)));

      assert.deepEqual([claims >= 2, t.received], [true, [id]]);
    }));

  Deno.test(`${queue.name}: a claim whose response was lost is handed back, what is in flight is not, and each is sent once`, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return withQueues(async (t) => {
      const { log, entries } = collectLog();
      let isLosing = false;
      const sql = interfereWith(t.sql, {
        [claim]: {
          after(rows) {
            if (!isLosing || countClaimed(rows) === 0) return;
            isLosing = false;
            throw databaseError("08006");
          },
        },
      });

      const ids = await queue.fill(t, 2);
      await running({ ...t.services, sql, log }, async (sender) => {
        await eventually(() => assert.equal(t.received.length, 2));
        isLosing = true;
        ids.push(...await queue.fill(t, 5));
        sender.wake();
        await eventually(() => assert.equal(t.received.length, 7));
        resolve();
        await eventuallyStates(t, statesFor(ids, "sent", 1));
      });

      assert.deepEqual(t.received.toSorted(), ids.toSorted());
      const released = entries.filter(({ message }) => message === "released a lost claim");
      assert.deepEqual(released.map(({ queue, rows }) => [queue, rows]), [[queue.name, 5]]);
    }, () => promise);
  });

  Deno.test(`${queue.name}: results are kept while they cannot be recorded, and nothing new is claimed`, () =>
    withQueues(async (t) => {
      const ids = await queue.fill(t, 3);
      let [isAway, refused, claims] = [true, 0, 0];
      const { log, lines } = collectLog();
      const sql = interfereWith(t.sql, {
        [claim]: { before: () => void claims++ },
        [finish]: {
          before() {
            if (!isAway) return;
            refused++;
            throw databaseError("57P01");
          },
        },
      });

      await running({ ...t.services, sql, log }, async (sender) => {
        await eventually(() => assert.deepEqual([t.received.length, refused >= 1], [3, true]));
        const before = claims;
        const [later] = await queue.fill(t, 1);
        sender.wake();
        t.services.newWork.notify();
        await eventually(() => assert.ok(refused >= 3));
        assert.deepEqual([claims, t.received.length], [before, 3]);
        isAway = false;
        sender.wake();
        await eventuallyStates(t, statesFor([...ids, later!], "sent", 1));
      });

      assert.equal(new Set(t.received).size, t.received.length);
      assert.ok(lines("warn").includes("results wait for the database"));
    }));

  Deno.test(`${queue.name}: results are recorded while claims fail, and what they leave is sent once afterwards`, () =>
    withQueues(async (t) => {
      const ids = await queue.fill(t, 3);
      let [isFailing, failed] = [false, 0];
      const sql = interfereWith(t.sql, {
        [claim]: {
          after(rows) {
            if (countClaimed(rows) > 0) isFailing = true;
          },
          before() {
            if (!isFailing) return;
            failed++;
            throw databaseError("40P01");
          },
        },
      });

      await running({ ...t.services, sql }, async (sender) => {
        await eventuallyStates(t, statesFor(ids, "sent", 1));
        const [later] = await queue.fill(t, 1);
        sender.wake();
        t.services.newWork.notify();
        await eventually(() => assert.ok(failed >= 1));
        isFailing = false;
        sender.wake();
        await eventuallyStates(t, statesFor([...ids, later!], "sent", 1));
        ids.push(later!);
      });

      assert.deepEqual(t.received.toSorted(), ids.toSorted());
    }));

  Deno.test(`${queue.name}: connections that end behind results and behind a claim lose nothing and send nothing twice`, () =>
    withQueues(async (t) => {
      const ids = await queue.fill(t, 8);
      const lost = { [claim]: 0, [finish]: 0 };
      const lose = (name: string) => {
        if (lost[name]!++ === 0) throw databaseError("08006");
      };
      const sql = interfereWith(t.sql, {
        [claim]: { after: (rows) => countClaimed(rows) > 0 && lose(claim) },
        [finish]: { after: () => lose(finish) },
      });

      await running({ ...t.services, sql }, () => eventuallyStates(t, statesFor(ids, "sent", 1)));

      assert.ok(lost[claim]! >= 2 && lost[finish]! >= 2, JSON.stringify(lost));
      assert.deepEqual(t.received.toSorted(), ids.toSorted());
    }));

  Deno.test(`${queue.name}: a result whose own data cannot be stored is dropped alone, logged, and not sent again`, () =>
    withQueues(async (t) => {
      const ids = await queue.fill(t, 6);
      const [bad, ...others] = ids;
      const { log, entries } = collectLog();
      const sql = interfereWith(t.sql, {
        [finish]: {
          before(args) {
            if (args.includes(bad!)) throw databaseError("22P05");
          },
        },
      });

      await running({ ...t.services, sql, log }, () =>
        eventuallyStates(
          t,
          [...statesFor(others, "sent", 1), ...statesFor([bad!], "claimed", 1)].sort((a, b) =>
            a.id < b.id ? -1 : 1
          ),
        ));

      const dropped = entries.filter(({ message }) =>
        message === "a result was dropped: it cannot be stored"
      );
      assert.deepEqual(dropped.map(({ level, code }) => [level, code]), [["error", "22P05"]]);
      assert.ok(Object.values(dropped[0]!).includes(bad));
      assert.deepEqual(t.received.toSorted(), ids.toSorted());
    }));

  Deno.test(`${queue.name}: recording twice changes nothing`, () =>
    withQueues(async (t) => {
      const ids = await queue.fill(t, 4);
      let recorded = 0;
      const sql = interfereWith(t.sql, {
        [finish]: {
          after() {
            if (recorded++ === 0) throw databaseError("08006");
          },
        },
      });

      await running({ ...t.services, sql }, () => eventuallyStates(t, statesFor(ids, "sent", 1)));

      assert.ok(recorded >= 2);
      assert.deepEqual(t.received.toSorted(), ids.toSorted());
    }));

  Deno.test(`${queue.name}: a claim under way when the sender stops is handed back unsent`, () =>
    withQueues(async (t) => {
      const ids = await queue.fill(t, 4);
      const stop = new AbortController();
      const sql = interfereWith(t.sql, { [claim]: { after: () => stop.abort() } });

      const ended = await queue.create({ ...t.services, sql }, stop.signal).run();

      assert.equal(ended, "stopped");
      assert.deepEqual(await queue.statesOf(t).then((states) => [...states]), statesFor(ids, "waiting", 0));
      assert.deepEqual(t.received, []);
    }));

  Deno.test(`${queue.name}: a sender that stops finishes what was sent, and records it`, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return withQueues(async (t) => {
      const ids = await queue.fill(t, 4);
      const stop = new AbortController();
      const ended = queue.create(t.services, stop.signal).run();
      await eventually(() => assert.equal(t.received.length, 4));

      stop.abort();
      const [later] = await queue.fill(t, 1);
      resolve();

      assert.equal(await ended, "stopped");
      const states = [...statesFor(ids, "sent", 1), ...statesFor([later!], "waiting", 0)];
      assert.deepEqual(
        await queue.statesOf(t).then((all) => [...all]),
        states.sort((a, b) => a.id < b.id ? -1 : 1),
      );
    }, () => promise);
  });
}

QUEUES.forEach(testQueue);

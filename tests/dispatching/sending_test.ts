import assert from "node:assert/strict";
import { createServices } from "../../supabase/functions/_shared/services.ts";
import { statesOf, statusesOf } from "../setup/fixtures/queue.ts";
import { eventually } from "../setup/eventually.ts";
import { eventuallyAll, numberOf, withDispatching } from "./with_dispatching.ts";

Deno.test("runDispatcher() sends every message once and records each stage", () =>
  withDispatching(async (t) => {
    const queued = await t.enqueue(100);

    await t.running(() => eventuallyAll(t, queued, "read"));

    const taken = await t.taken();
    assert.deepEqual([taken.size, [...taken.values()].every((times) => times === 1)], [100, true]);
    const [row] = await t
      .sql`select total, sent, delivered, read, pending, processing, completed_at is not null as done
      from outbound.campaigns`;
    assert.deepEqual(row, {
      total: 100,
      sent: 100,
      delivered: 100,
      read: 100,
      pending: 0,
      processing: 0,
      done: true,
    });
  }));

Deno.test("two dispatchers share the work and send nothing twice", () =>
  withDispatching(async (t) => {
    // Two seconds' worth: long enough for both to get their turns, however busy the machine.
    await t.sql`update outbound.senders set rate_per_second = 300`;
    await t.sql.unsafe(`
      create table outbound.workers (name text primary key);
      create function outbound.record_worker() returns trigger language plpgsql as $$
      begin
        insert into outbound.workers values (new.worker) on conflict do nothing;
        return null;
      end $$;
      create trigger record_worker after update on outbound.queue
        for each row when (new.status = 'sending') execute function outbound.record_worker();`);
    const queued = await t.enqueue(600);
    const second = createServices(t.env);
    try {
      await t.running(() => t.running(() => eventuallyAll(t, queued, "read", 30_000), second));
    } finally {
      await second.close();
    }

    const taken = await t.taken();
    assert.deepEqual([taken.size, [...taken.values()].every((times) => times === 1)], [600, true]);
    const workers = await t.sql`select count(*)::int from outbound.workers`;
    assert.equal(workers[0]?.count, 2);
  }));

Deno.test("runDispatcher() finishes what is in flight when it is stopped, and leaves the rest untried", () =>
  withDispatching(async (t) => {
    await t.sandbox.configure({ latency_ms: 500, webhooks: false });
    const { ids } = await t.enqueue(500);

    await t.running(() =>
      eventually(async () => {
        const [row] = await t.sql`select count(*)::int from outbound.notifications where status = 'sending'`;
        assert.ok(row?.count > 0);
      })
    );

    const states = await statesOf(t.sql, ids);
    const sent = states.filter(({ status }) => status === "sent").length;
    const untried = states.filter(({ status, attempt }) => status === "queued" && attempt === 0).length;
    assert.deepEqual([sent + untried, sent, untried > 0], [500, (await t.taken()).size, true]);
  }));

Deno.test("runDispatcher() until idle waits for its sender's rate, not for what is due later", () =>
  withDispatching(async (t) => {
    await t.sql`update outbound.senders set rate_per_second = 50`;
    const now = await t.enqueue(20);
    const later = await t.enqueue(1, { dueInS: 60 });

    await t.dispatch();

    assert.equal((await t.taken()).size, 20);
    assert.deepEqual(await statusesOf(t.sql, later.ids), ["scheduled"]);
    await eventuallyAll(t, now, "read");
  }));

Deno.test("runDispatcher() meets a schedule to the second", () =>
  withDispatching(async (t) => {
    const queued = await t.enqueue(5, { dueInS: 1.5 });

    await t.running(() => eventuallyAll(t, queued, "read"));

    const [row] = await t.sql<
      { late: number }[]
    >`select max(extract(epoch from claimed_at - run_at))::float8 as late
      from outbound.notifications`;
    assert.ok(row!.late >= 0 && row!.late < 1, `${row!.late} s late`);
  }));

Deno.test("runDispatcher() sends every notification once when the result of its claim was lost", () =>
  withDispatching(async (t) => {
    const queued = await t.enqueue(3);
    let lost = 0;
    const sql = new Proxy(t.services.sql, {
      apply(target, self, args) {
        const query = Reflect.apply(target as unknown as () => Promise<unknown[]>, self, args);
        if (lost > 0 || !String(args[0]).includes("claim_notifications")) return query;
        return query.then((rows: unknown[]) => {
          const [row] = rows as { claimed: { messages: unknown[] } | null }[];
          lost = row!.claimed?.messages.length ?? 0;
          if (lost > 0) throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
          return rows;
        });
      },
    });

    await t.running(() => eventuallyAll(t, queued, "read", 20_000), { ...t.dispatcherServices, sql });

    assert.equal(lost, 3);
    assert.deepEqual([...(await t.taken()).values()], [1, 1, 1]);
  }, { OUTBOUND_DISPATCH_LEASE_S: "1", OUTBOUND_UNCONFIRMED_WINDOW_S: "1" }));

Deno.test("webhooks that are doubled, late, early, without a stage or without our reference all end well", () =>
  withDispatching(async (t) => {
    const faults = [
      "duplicate",
      "reorder",
      "read_without_delivered",
      "empty_wa_id",
      "early_webhook",
      "no_echo",
    ];
    const queued = await t.enqueue(faults.length * 2);
    for (const [index, fault] of [...faults, ...faults].entries()) {
      await t.sandbox.addFault({ match: { to: numberOf(index) }, fault });
      if (index >= faults.length) {
        await t.sandbox.addFault({ match: { to: numberOf(index) }, fault: "duplicate" });
      }
    }

    await t.running(() => eventuallyAll(t, queued, "read", 20_000));

    assert.equal((await t.taken()).size, queued.ids.length);
    const [row] = await t.sql`select sent, delivered, read from outbound.campaigns`;
    assert.deepEqual(row, { sent: 12, delivered: 12, read: 12 });
  }));

Deno.test("a message that fails after it was taken is failed, with the platform's reason", () =>
  withDispatching(async (t) => {
    for (const [index, code] of [131026, 131049, 131000].entries()) {
      await t.sandbox.addFault({ match: { to: numberOf(index) }, fault: { webhook_error: code } });
    }
    const queued = await t.enqueue(3);

    await t.running(() => eventuallyAll(t, queued, "failed"));

    const states = await statesOf(t.sql, queued.ids);
    assert.deepEqual(states.map(({ error_code }) => error_code), ["131026", "131049", "131000"]);
    assert.ok(states.every(({ error_reason }) => error_reason));
  }));

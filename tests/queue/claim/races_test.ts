import assert from "node:assert/strict";
import postgres from "postgres";
import { readSendContext } from "../../../supabase/functions/_shared/db/queue/send_context.ts";
import { adjustSenders, renewLeases } from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import {
  applyPlatformEvents,
  storePlatformEvents,
} from "../../../supabase/functions/_shared/db/queue/platform_events.ts";
import { hashAccessKey } from "../../../supabase/functions/_shared/access/new_keys.ts";
import { claimDeliveries } from "../../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import { untilBlocked, withOpenTransaction } from "../../control/open_transaction.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertEvents, insertWebhook } from "../../setup/fixtures/webhooks.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import {
  acceptAll,
  assertConserved,
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  letTimePass,
  report,
  requestOf,
  type SendingCompany,
  statusesOf,
  tickNow,
} from "../../setup/fixtures/queue.ts";

/** Resolves when this many sessions wait for a lock. */
async function untilWaiting(sql: postgres.Sql, sessions: number): Promise<void> {
  await eventually(async () => {
    const [row] = await sql`select count(*)::int from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    assert.equal(row?.count, sessions);
  });
}

/** Calls `fn` with a connection of its own, for a transaction that stays open. */
async function withConnection<T>(url: string, fn: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await fn(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

Deno.test("two claims at once never get the same notification", () =>
  withPostgresDatabase(async ({ sql }) => {
    const companies = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    for (const company of companies) await enqueue(sql, company, { count: 400 });

    const seen: string[] = [];
    await Promise.all(Array.from({ length: 6 }, async (_, worker) => {
      for (let empty = 0; empty < 50;) {
        const claimed = await claim(sql, { worker: `w${worker}`, limit: 25 });
        seen.push(...claimed.map(({ id }) => id));
        empty = claimed.length === 0 ? empty + 1 : 0;
      }
    }));

    assert.equal(seen.length, 800);
    assert.equal(new Set(seen).size, 800);
    await assertConserved(sql);
  }));

Deno.test("claims of several dispatchers together keep to a sender's rate", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql, { sender: { rate_per_second: 50 } });
    await enqueue(sql, company, { count: 500 });
    const started = performance.now();
    let sent = 0;

    await Promise.all(Array.from({ length: 4 }, async (_, worker) => {
      while (performance.now() - started < 1500) {
        const claimed = await claim(sql, { worker: `w${worker}`, limit: 50 });
        sent += claimed.length;
      }
    }));

    const seconds = (performance.now() - started) / 1000;
    assert.ok(sent <= 5 + 50 * seconds + 1, `${sent} in ${seconds} s`);
    assert.ok(sent >= 50 * seconds * 0.5, `${sent} in ${seconds} s`);
  }));

Deno.test("a claim passes by what another transaction is changing, and does not wait", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company, { count: 3 });
    await withConnection(url, (other) =>
      other.begin(async (transaction) => {
        await transaction`select 1 from outbound.queue where id = ${ids[0]!} for update`;

        const claimed = await claim(sql);

        assert.deepEqual(claimed.map(({ id }) => id).sort(), ids.slice(1).sort());
      }));
  }));

Deno.test("reading a send's context and accepting it at the same time do not deadlock", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    const query = {
      keyHash: hashAccessKey(company.key.key),
      channel: "whatsapp" as const,
      recipientId: company.sender.number,
      templateName: company.template.name,
      agentId: null,
      bulk: false,
    };
    await withConnection(url, async (other) => {
      let reading: Promise<unknown> | undefined;
      await other.begin(async (transaction) => {
        await transaction`select from outbound.api_keys where id = ${company.key.id} for no key update`;
        reading = readSendContext(sql, query);
        await untilWaiting(sql, 1);

        const [verdict] = await acceptAll(transaction as unknown as postgres.Sql, [requestOf(company)]);

        assert.equal(verdict?.outcome, "accepted");
      });
      assert.equal((await reading as { outcome: string }).outcome, "ok");
    });
  }));

Deno.test("a tick that settles one campaign and expires another does not deadlock with a finish of both", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    const campaigns = [await enqueue(sql, company, { count: 2 }), await enqueue(sql, company, { count: 2 })];
    campaigns.sort((a, b) => a.campaignId < b.campaignId ? -1 : 1);
    const [low, high] = campaigns;
    const claimed = await claim(sql);
    const of = (campaign = low) => claimed.filter(({ id }) => campaign!.ids.includes(id));
    await finish(sql, of(high).slice(1), { outcome: "unknown" }, { windowS: 0 });
    await finish(sql, of(low).slice(1), { outcome: "retry", retry_in_s: 0 });
    await sql`update outbound.queue set expires_at = now() where status = 'queued'`;
    await withConnection(url, async (other) => {
      let ticking: Promise<unknown> | undefined;
      let finishing: Promise<unknown> | undefined;
      await other.begin(async (transaction) => {
        // Both wait here for the lower campaign, the finish first; a tick that held the higher one by now would be stuck.
        await transaction`select 1 from outbound.campaigns where id = ${low!.campaignId} for update`;
        finishing = finish(sql, [...of(low).slice(0, 1), ...of(high).slice(0, 1)], { outcome: "sent" });
        await untilWaiting(sql, 1);
        ticking = tickNow(sql);
        await untilWaiting(sql, 2);
      });
      await Promise.all([ticking, finishing]);
    });
    await assertConserved(sql);
  }));

Deno.test("an event that comes while its message's result is being written is not lost", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company);
    const claimed = await claim(sql);
    const event = eventOf(company.id, ids[0]!, "delivered", {
      company_id: null,
      notification_id: null,
      waba_id: company.sender.waba_id,
    });
    await withConnection(url, async (other) => {
      let reporting: Promise<unknown> | undefined;
      await other.begin(async (transaction) => {
        await finish(transaction as unknown as postgres.Sql, claimed, { outcome: "sent" });
        reporting = report(sql, [event]);
        await reporting;
      });
    });
    await letTimePass(sql, 6);
    await report(sql, []);

    assert.deepEqual(await statusesOf(sql, ids), ["delivered"]);
  }));

Deno.test("a campaign is cancelled whole while its messages come and go", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 300 });
    let cancelled = false;
    const worker = async (name: string) => {
      while (!cancelled) {
        const claimed = await claim(sql, { worker: name, limit: 20 });
        await finish(sql, claimed, { outcome: "not_sent", retry_in_s: 0 }, { worker: name });
      }
      await finish(sql, await claim(sql, { worker: name }), { outcome: "not_sent" }, { worker: name });
    };
    const working = ["a", "b", "c"].map(worker);

    await sql`select outbound.cancel_campaign(${company.id}, ${campaignId})`;
    cancelled = true;
    await Promise.all(working);

    const states = await sql`select status, count(*)::int from outbound.notifications group by 1`;
    assert.deepEqual([...states], [{ status: "cancelled", count: 300 }]);
    await assertConserved(sql);
  }));

Deno.test("any mix of calls at once ends without a deadlock and with the right counters", () =>
  withPostgresDatabase(async ({ sql }) => {
    const companies: SendingCompany[] = [];
    for (let n = 0; n < 3; n++) companies.push(await insertSendingCompany(sql));
    const pick = <T>(list: T[]) => list[Math.floor(Math.random() * list.length)]!;
    const outcomes = ["sent", "sent", "failed", "retry", "not_sent", "unknown", "released"] as const;
    const sentIds: [string, string][] = [];
    const campaigns: [string, string][] = [];

    const accept = async () => {
      const company = pick(companies);
      const { campaignId } = await enqueue(sql, company, { count: 5, ttlS: pick([1, 86_400]) });
      campaigns.push([company.id, campaignId]);
      await acceptAll(sql, companies.map((each) => requestOf(each)));
    };
    const send = async () => {
      const worker = crypto.randomUUID();
      const claimed = await claim(sql, { worker, limit: 20, leaseS: pick([1, 60]) });
      await renewLeases(sql, { worker, leaseS: 60, notifications: claimed });
      await Promise.all([
        renewLeases(sql, { worker, leaseS: 60, notifications: claimed }),
        ...outcomes.map((outcome, index) =>
          finish(sql, claimed.filter((_, n) => n % outcomes.length === index), { outcome, retry_in_s: 0 }, {
            worker,
            windowS: 0,
          })
        ),
        adjustSenders(
          sql,
          claimed.map(({ company_id, sender_id }) => ({ company_id, sender_id, change: "reached" })),
        ),
      ]);
      sentIds.push(...claimed.map(({ company_id, id }): [string, string] => [company_id, id]));
    };
    const sendEvents = async () => {
      const some = Array.from({ length: 30 }, () => pick(sentIds)).filter((each) => each);
      const statuses = ["sent", "delivered", "read", "failed"] as const;
      await report(sql, some.map(([companyId, id]) => eventOf(companyId, id, pick([...statuses]))));
    };
    const cancel = async () => {
      const [companyId, campaignId] = pick(campaigns) ?? [];
      if (companyId) await sql`select outbound.cancel_campaign(${companyId}, ${campaignId!})`;
    };
    const repeat = async (work: () => Promise<unknown>) => {
      for (let n = 0; n < 25; n++) await work();
    };

    await Promise.all(
      [accept, accept, send, send, send, sendEvents, sendEvents, () => tickNow(sql), cancel].map(repeat),
    );

    await assertConserved(sql);
  }));

Deno.test("dispatchers that claim deliveries at the same moment send an endpoint sixteen at a time together", () =>
  withPostgresDatabase(async ({ sql }) => {
    const { id } = await insertSendingCompany(sql);
    await insertWebhook(sql, id);
    await insertEvents(sql, id, 20);
    const claimAs = (one: postgres.Sql, worker: string) =>
      claimDeliveries(one, { worker, limit: 100, maxFailing: 100, leaseS: 60 });

    await withOpenTransaction(sql, async (open, commit) => {
      const first = await claimAs(open, "one");
      // Due before the others, and committed after they were claimed.
      await insertEvents(sql, id, 2);
      await sql`
        update outbound.webhook_deliveries set run_at = now() - interval '1 hour'
        where company_id = ${id} and event_id in (
          select event_id from outbound.webhook_deliveries order by event_id desc limit 2)`;
      let isDone = false;
      const claiming = claimAs(sql, "another").finally(() => isDone = true);
      await untilBlocked(sql, () => isDone);
      await commit();

      assert.deepEqual([first.length, (await claiming).length], [16, 0]);
    });
  }));

Deno.test("store_platform_events() waits for no message that is locked, and not long for a campaign: it stores the receipts", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    for (const table of ["notification_facts", "campaigns"]) {
      const { ids: [id] } = await enqueue(sql, company);
      await finish(sql, await claim(sql), { outcome: "sent" });
      const column = table === "campaigns" ? "campaign_id" : "id";
      await sql.begin(async (other) => {
        await other.unsafe(`select from outbound.${table} where id =
          (select ${column} from outbound.notifications where id = '${id}') for update`);

        assert.equal(await storePlatformEvents(sql, [eventOf(company.id, id!, "read")]), 1, table);
      });
      await applyPlatformEvents(sql, 10);
      assert.deepEqual(await statusesOf(sql, [id!]), ["read"]);
    }
    await assertConserved(sql);
  }));

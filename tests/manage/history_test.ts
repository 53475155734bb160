import assert from "node:assert/strict";
import { storeRates } from "../../supabase/functions/_shared/db/campaigns/rates.ts";
import { foldAll } from "../queue/history/recount.ts";
import { suppress } from "../setup/fixtures/contacts.ts";
import { insertMember } from "../setup/fixtures/fixtures.ts";
import {
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  report,
  type SendingCompany,
} from "../setup/fixtures/queue.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { type Manage, withManage } from "./with_manage.ts";

const HOUR_MS = 3_600_000;

/** A sending company with a viewer: three messages of a campaign to Spain and one to Bolivia, read, delivered, failed. */
async function seed(t: Manage): Promise<{ company: SendingCompany; campaignId: string; read: Read }> {
  const company = await insertSendingCompany(t.sql);
  await insertMember(t.sql, company.id, t.members.viewer.userId, "viewer");
  const addresses = ["34600111222", "34600111223", "34600111224", "59171000100"]
    .map((number) => ({ number, user_id: null }));
  const { campaignId, ids } = await enqueue(t.sql, company, { addresses });
  await enqueue(t.sql, company);
  await finish(t.sql, await claim(t.sql), { outcome: "sent" });
  const pricing = { country: "ES", category: "marketing", type: "regular", billable: true };
  await report(t.sql, [
    eventOf(company.id, ids[0]!, "read", { pricing }),
    eventOf(company.id, ids[1]!, "delivered", { pricing }),
    eventOf(company.id, ids[2]!, "failed", { error_code: "131049" }),
  ]);
  await suppress(t.sql, company.id, { number: "34600111224" });
  await foldAll(t.sql);
  const read: Read = async (query) =>
    await t.members.viewer.ask("GET", `/companies/${company.id}/history`, undefined, query);
  return { company, campaignId, read };
}

type Read = (query: Record<string, string>) => Promise<{ status: number; body: JsonObject }>;

/** The counts of a row that are not 0, after its key and name. */
function shown({ key, name, ...row }: JsonObject): unknown[] {
  const counts = Object.entries(row).filter(([, value]) => typeof value === "number" && value !== 0);
  return [key, name, Object.fromEntries(counts)];
}

Deno.test("GET …/history shows what happened by company, campaign, template, sender, country, channel and reason", () =>
  withManage(async (t) => {
    const { company, campaignId, read } = await seed(t);
    const all = { accepted: 5, sent: 4, delivered: 2, read: 1, failed: 1, read_rate: 0.5 };
    const { opted_out, ...ofPeople } = { ...all, opted_out: 1 };
    const optOut = [null, null, { opted_out }];
    const expected: Record<string, unknown[]> = {
      company: [[company.id, "Acme", { ...all, opted_out }]],
      campaign: [
        [campaignId, "A campaign", { ...all, accepted: 4, sent: 3 }],
        [null, null, { accepted: 1, sent: 1, opted_out }],
      ],
      template: [[company.template.id, `${company.template.name} (en)`, ofPeople], optOut],
      sender: [[company.sender.id, company.sender.number, ofPeople], optOut],
      country: [
        ["BO", null, { accepted: 2, sent: 2 }],
        ["ES", null, { ...all, accepted: 3, sent: 2, opted_out }],
      ],
      channel: [["any", null, { opted_out }], ["whatsapp", null, ofPeople]],
      reason: [["131049", null, { failed: 1 }]],
    };
    await t.sql`update outbound.companies set name = 'Acme' where id = ${company.id}`;

    for (const [by, rows] of Object.entries(expected)) {
      const { body } = await read({ by, step: "hour" });
      assert.deepEqual(body.rows.map(shown), rows, by);
      assert.ok(body.rows.every(({ start }: JsonObject) => start.endsWith(":00:00Z")));
    }
    assert.deepEqual((await read({ by: "campaign", campaign_id: campaignId })).body.rows.map(shown), [
      [campaignId, "A campaign", { ...all, accepted: 4, sent: 3 }],
    ]);
    assert.deepEqual((await read({ sender_id: crypto.randomUUID() })).body.rows, []);
  }));

Deno.test("GET …/history shows the cost by the rates of each day, and null without a rate card", () =>
  withManage(async (t) => {
    const { read } = await seed(t);
    const costs = async () => {
      const { body } = await read({ by: "country" });
      return body.rows.map(({ key, cost, currency }: JsonObject) => [key, cost, currency]);
    };
    assert.deepEqual(await costs(), [["BO", null, null], ["ES", null, null]]);

    await storeRates(t.sql, [
      { market: "ES", category: "marketing", currency: "EUR", rate: "0.05", effective_from: "2020-01-01" },
      { market: "ES", category: "marketing", currency: "EUR", rate: "0.09", effective_from: "2090-01-01" },
    ]);

    assert.deepEqual(await costs(), [["BO", "0", "EUR"], ["ES", "0.1", "EUR"]]);
    const { body } = await read({});
    assert.deepEqual(body.estimated_cost, { amount: "0.1", currency: "EUR", complete: true });
  }));

Deno.test("GET …/history counts the days of a time zone, and a day that is kept as a whole as its date", () =>
  withManage(async (t) => {
    const { company, read } = await seed(t);
    const history = (hour: string) =>
      t.sql`
        insert into outbound.history (company_id, hour, campaign_id, template_id, sender_id, channel, area, reason,
          accepted)
        select ${company.id}, ${hour}::timestamptz, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'whatsapp',
          'ES', '', 7`;
    const midnight = new Date();
    midnight.setUTCHours(0, 0, 0, 0);
    const before = (days: number, hours = 0) =>
      new Date(midnight.getTime() - days * 24 * HOUR_MS + hours * HOUR_MS).toISOString();
    await history(before(10, 2));
    await history(before(50));
    const day = (days: number) => before(days).slice(0, 10);

    for (const [timezone, recent] of [["America/La_Paz", day(11)], ["Europe/Madrid", day(10)]] as const) {
      const { body } = await read({ timezone, from: day(60), to: day(5) });
      const dates = body.rows.map(({ start }: JsonObject) =>
        new Intl.DateTimeFormat("sv", { timeZone: timezone, dateStyle: "short", timeStyle: "short" })
          .format(new Date(start))
      );
      assert.deepEqual(dates, [`${day(50)} 00:00`, `${recent} 00:00`], timezone);
      const { body: thatDay } = await read({ timezone, from: day(50), to: day(49) });
      assert.deepEqual(thatDay.rows.map(({ accepted }: JsonObject) => accepted), [7], timezone);
      assert.deepEqual((await read({ timezone, from: day(49), to: day(48) })).body.rows, []);
    }
  }));

Deno.test("GET …/history refuses what it cannot show, and names the field", () =>
  withManage(async (t) => {
    const { company, read } = await seed(t);
    const refusals: [Record<string, string>, string][] = [
      [{ by: "number" }, "by"],
      [{ step: "minute" }, "step"],
      [{ from: "yesterday" }, "from"],
      [{ from: "2026-02-30" }, "from"],
      [{ to: "2026-01-01", from: "2026-01-01" }, "to"],
      [{ from: "2020-01-01" }, "from"],
      [{ from: new Date(Date.now() - 40 * 24 * HOUR_MS).toISOString(), step: "hour" }, "from"],
      [{ timezone: "Mars/Olympus" }, "timezone"],
      [{ campaign_id: "1" }, "campaign_id"],
      [{ format: "xml" }, "format"],
    ];
    for (const [query, field] of refusals) {
      const { status, body } = await read(query);
      assert.deepEqual([status, body.details?.field], [400, field], JSON.stringify(query));
    }
    await t.sql`
      insert into outbound.history (company_id, hour, campaign_id, template_id, sender_id, channel, area, reason,
        accepted)
      select ${company.id}, date_trunc('hour', now(), 'UTC'), gen_random_uuid(), ${company.template.id},
        ${company.sender.id}, 'whatsapp', 'ES', '', 1 from generate_series(1, 10001)`;

    const { status, body } = await read({ by: "campaign" });

    assert.equal(status, 400);
    assert.match(body.message, /more than 10,000 rows/);
    assert.equal((await read({ by: "template" })).status, 200);
  }));

Deno.test("GET …/history shows no other company's figures, and responds with a file", () =>
  withManage(async (t) => {
    const { company, campaignId } = await seed(t);
    const { body } = await t.read("/history", { by: "campaign", campaign_id: campaignId });
    assert.deepEqual(body.rows, []);
    assert.deepEqual((await t.read("/history")).body.rows, []);

    const file = await t.members.viewer.ask("GET", `/companies/${company.id}/history`, undefined, {
      by: "country",
      format: "csv",
    });

    assert.match(file.headers.get("content-type")!, /^text\/csv/);
    const lines = (file.body as unknown as string).split("\r\n");
    assert.equal(
      lines[0],
      "start,key,name,accepted,sent,delivered,read,replied,failed,skipped,cancelled,opted_out,read_rate,cost,currency",
    );
    assert.match(lines[2]!, /Z,ES,,3,2,2,1,0,1,0,0,1,0.5,,$/);
    assert.equal(lines.length, 4);
  }));

Deno.test("GET …/history says until when it is complete", () =>
  withManage(async (t) => {
    const { company, read } = await seed(t);
    const complete = async () => Date.parse((await read({})).body.complete_until);
    assert.ok(Date.now() - await complete() < 5000);

    await enqueue(t.sql, company);
    await t.sql`update outbound.history_changes set written_at = now() - interval '5 minutes'`;

    assert.ok(Date.now() - await complete() >= 299_000);
  }));

Deno.test("GET …/senders/{sender_id}/history lists each change of quality and limit by the platform's time", () =>
  withManage(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await insertMember(t.sql, company.id, t.members.viewer.userId, "viewer");
    const { id } = company.sender;
    await t
      .sql`update outbound.senders set quality = 'RED', quality_at = '2026-11-02 10:00Z' where id = ${id}`;
    await t
      .sql`update outbound.senders set messaging_limit = 'TIER_2K', messaging_limit_at = '2026-11-03 10:00Z'
      where id = ${id}`;
    await t
      .sql`update outbound.senders set rate_per_second = 7, quality_at = '2026-11-04 10:00Z' where id = ${id}`;
    const read = (query: Record<string, string> = {}) =>
      t.members.viewer.ask("GET", `/companies/${company.id}/senders/${id}/history`, undefined, query);

    const { body } = await read();
    const { body: first } = await read({ limit: "1" });
    const { body: second } = await read({ limit: "1", after: first.next });

    const expected = [["2026-11-03T10:00:00Z", "RED", "TIER_2K"], ["2026-11-02T10:00:00Z", "RED", null]];
    const rows = (changes: JsonObject[]) =>
      changes.map(({ at, quality, messaging_limit }) => [at, quality, messaging_limit]);
    assert.deepEqual(rows(body.changes), expected);
    assert.deepEqual(rows([...first.changes, ...second.changes]), expected);
    assert.equal((await t.read(`/senders/${id}/history`)).status, 404);
  }));

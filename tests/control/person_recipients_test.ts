import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { enqueueCalls, insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import { claim, enqueue, finish, insertSendingCompany } from "../setup/fixtures/queue.ts";
import { type TestServices, withServices } from "../setup/stack/services.ts";

const ANA = { number: "34600111222", user_id: null };
const BEN = { number: "34600111223", user_id: null };
const ANAS_ID = "ES.1349aBc";

function ask({ http }: TestServices, key: { key: string }, query: Record<string, string>) {
  return http.get("/manage/companies/mine/contacts/notifications", {
    query: { access_key: key.key, ...query },
  });
}

Deno.test("GET …/contacts/notifications finds a person in all campaigns, the newest first, page by page", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const campaigns: string[] = [];
    for (const addresses of [[ANA, BEN], [BEN], [ANA], [ANA]]) {
      campaigns.push((await enqueue(t.sql, company, { addresses })).campaignId);
    }
    const expected = await t.sql<{ id: string }[]>`
      select id from outbound.notifications where number = ${ANA.number} order by id desc`;

    const first = await ask(t, company.key, { number: ANA.number, limit: "2" });
    const second = await ask(t, company.key, { number: ANA.number, limit: "2", after: first.body.next });

    assert.deepEqual([first.status, second.status, second.body.next], [200, 200, null]);
    const rows = [...first.body.notifications, ...second.body.notifications];
    assert.deepEqual(
      rows.map(({ notification_id }: JsonObject) => notification_id),
      expected.map(({ id }) => id),
    );
    const { campaign_id, campaign_name, channel, notification_type, template_name, ...row } = rows[0];
    assert.ok(campaigns.includes(campaign_id));
    assert.deepEqual([campaign_name, channel, notification_type], ["A campaign", "whatsapp", "utility"]);
    assert.equal(typeof template_name, "string");
    assert.deepEqual([row.number, row.status, row.metadata], [ANA.number, "queued", null]);
  }));

Deno.test("GET …/contacts/notifications narrows a person's list by campaign and status, and finds linked user ids", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const first = await enqueue(t.sql, company, { addresses: [ANA] });
    await finish(t.sql, await claim(t.sql), { outcome: "failed", error_code: "131026", reason: "Not there" });
    const second = await enqueue(t.sql, company, { addresses: [{ number: null, user_id: ANAS_ID }, BEN] });
    const both = await enqueue(t.sql, company, { addresses: [{ number: ANA.number, user_id: ANAS_ID }] });
    await t.sql`select outbound.link_user_id(${company.id}, ${ANAS_ID}, ${ANA.number}, null, now())`;
    const campaignsOf = async (query: Record<string, string>) => {
      const { status, body } = await ask(t, company.key, query);
      assert.equal(status, 200, JSON.stringify(body));
      return body.notifications.map(({ campaign_id }: JsonObject) => campaign_id).sort();
    };
    const all = [first, second, both].map(({ campaignId }) => campaignId).sort();

    assert.deepEqual(await campaignsOf({ number: ANA.number }), all);
    assert.deepEqual(await campaignsOf({ user_id: ANAS_ID }), all);
    assert.deepEqual(await campaignsOf({ number: ANA.number, campaign_id: second.campaignId }), [
      second.campaignId,
    ]);
    assert.deepEqual(await campaignsOf({ number: ANA.number, status: "failed" }), [first.campaignId]);
    const { body } = await ask(t, company.key, { number: ANA.number, status: "failed" });
    assert.deepEqual([body.notifications[0].code, body.notifications[0].reason], ["131026", "Not there"]);
  }));

Deno.test("GET …/contacts/notifications shows messages and calls, of its own company", () =>
  withServices(async (t) => {
    const company = await insertCallingCompany(t.sql);
    const other = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueueCalls(t.sql, company, { count: 1 });
    const [call] = await t.sql`select number from outbound.notifications where campaign_id = ${campaignId}`;
    const query = { number: call!.number };

    const [found] = (await ask(t, company.key, query)).body.notifications;
    assert.deepEqual([found.campaign_id, found.channel], [campaignId, "voice"]);
    assert.deepEqual((await ask(t, other.key, query)).body.notifications, []);
    assert.deepEqual((await ask(t, other.key, { ...query, campaign_id: campaignId })).body.notifications, []);
  }));

Deno.test("GET …/contacts/notifications refuses a person of the wrong form", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const refused: [query: Record<string, string>, field: string][] = [
      [{}, "number"],
      [{ number: "+34600111222" }, "number"],
      [{ number: "" }, "number"],
      [{ user_id: "' or 1=1" }, "user_id"],
      [{ number: ANA.number, limit: "0" }, "limit"],
      [{ number: ANA.number, limit: "1001" }, "limit"],
      [{ number: ANA.number, after: "x" }, "after"],
      [{ number: ANA.number, campaign_id: "x" }, "campaign_id"],
      [{ number: ANA.number, status: "lost" }, "status"],
    ];
    for (const [query, field] of refused) {
      const { status, body } = await ask(t, company.key, query);
      assert.deepEqual([status, body.details?.field], [400, field], JSON.stringify(query));
    }
  }));

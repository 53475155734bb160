import assert from "node:assert/strict";
import { type TestServices, withServices } from "../setup/stack/services.ts";
import { enqueueCalls, insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import {
  assertConserved,
  claim,
  countersOf,
  enqueue,
  insertSendingCompany,
} from "../setup/fixtures/queue.ts";
import { heldOf } from "./campaign.ts";

const UNKNOWN = "01930000-0000-7000-8000-000000000000";

/** Every route about one campaign, below its path. */
const ROUTES = [
  ...["", "/recipients", "/failures", "/pricing"].map((path) => ["GET", path]),
  ...["/pause", "/resume", "/cancel", "/resend"].map((path) => ["POST", path]),
] as [method: string, path: string][];

/** Asks with a company's access key for a path below one of its campaigns. */
function ask(
  { http }: TestServices,
  access_key: string,
  [method, path]: [method: string, path: string],
  campaignId: string,
) {
  const target = `/manage/companies/mine/campaigns/${campaignId}${path}`;
  return http.request(method, target, undefined, { query: { access_key } });
}

Deno.test("a key pauses, resumes and cancels a campaign, and a repeated request changes nothing", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueue(t.sql, company, { count: 3 });
    await claim(t.sql, { limit: 1 });
    const common = { campaign_id: campaignId, in_flight: 1 };

    const bodies = [];
    for (const action of ["pause", "pause", "resume", "resume", "pause", "cancel", "cancel"]) {
      const { status, body } = await ask(t, company.key.key, ["POST", `/${action}`], campaignId);
      assert.equal(status, 200);
      bodies.push(body);
    }

    assert.deepEqual(bodies, [
      { ...common, status: "paused", changed: 2 },
      { ...common, status: "paused", changed: 0 },
      { ...common, status: "sending", changed: 2 },
      { ...common, status: "sending", changed: 0 },
      { ...common, status: "paused", changed: 2 },
      { ...common, status: "sending", changed: 2 },
      { ...common, status: "sending", changed: 0 },
    ]);
    assert.deepEqual(await countersOf(t.sql, campaignId), { processing: 1, cancelled: 2 });
    await assertConserved(t.sql);
    const actors = await t.sql`select distinct actor from outbound.audit_log`;
    assert.deepEqual(actors.map(({ actor }) => actor), [`key:${company.key.id}`]);
  }));

Deno.test("GET /notify/status shows that a campaign is paused", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueue(t.sql, company);
    await ask(t, company.key.key, ["POST", "/pause"], campaignId);

    const query = { access_key: company.key.key, campaign_id: campaignId };
    const { body } = await t.http.get("/notify/status", { query });

    assert.deepEqual([body.status, body.total, body.pending], ["paused", 1, 1]);
  }));

Deno.test("resuming a campaign wakes the dispatcher of its process", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueue(t.sql, company);
    const woken = t.services.newWork.wait(60_000);

    await ask(t, company.key.key, ["POST", "/resume"], campaignId);

    await woken;
  }));

Deno.test("another company's campaign, and an id that is not a campaign's, is not found", () =>
  withServices(async (t) => {
    const [company, other] = [await insertSendingCompany(t.sql), await insertSendingCompany(t.sql)];
    const { campaignId } = await enqueue(t.sql, company);

    for (const route of ROUTES) {
      for (
        const [id, message] of [
          [campaignId, "Campaign not found"],
          [UNKNOWN, "Campaign not found"],
          ["not-an-id", "Not found"],
        ] as const
      ) {
        const { status, body } = await ask(t, other.key.key, route, id);
        assert.deepEqual([status, body.error, body.message], [404, "not_found", message], route.join(" "));
      }
    }
    assert.deepEqual(await countersOf(t.sql, campaignId), { pending: 1 });
    assert.equal(await heldOf(t.sql, campaignId), 0);
  }));

Deno.test("a key sees and steers the campaigns of the channels that it may send on, and no others", () =>
  withServices(async (t) => {
    const company = await insertCallingCompany(t.sql);
    const { campaignId: calls } = await enqueueCalls(t.sql, company, { count: 1 });
    const { key } = company.key;
    const permit = (permissions: string[]) =>
      t.sql`update outbound.api_keys set permissions = ${permissions}::text[] where id = ${company.key.id}`;
    const list = async (query: Record<string, string> = {}) =>
      await t.http.get("/manage/companies/mine/campaigns", { query: { access_key: key, ...query } });

    await permit(["chatapp_notifications"]);
    for (const route of ROUTES) {
      const { status, body } = await ask(t, key, route, calls);
      const refusal = [403, "forbidden", { permission: "voice_notifications" }];
      assert.deepEqual([status, body.error, body.details], refusal, route.join(" "));
    }
    assert.deepEqual((await list()).body.campaigns, []);
    assert.equal((await list({ channel: "voice" })).status, 403);
    await permit(["voice_notifications"]);
    assert.deepEqual((await list()).body.campaigns.map((row: { campaign_id: string }) => row.campaign_id), [
      calls,
    ]);
    for (const route of ROUTES) {
      assert.equal((await ask(t, key, route, calls)).status, 200, route.join(" "));
    }
  }));

import assert from "node:assert/strict";
import { type TestServices, withServices } from "../setup/services.ts";
import { assertConserved, claim, countersOf, enqueue, insertSendingCompany } from "../setup/queue.ts";
import { heldOf } from "./campaign.ts";

const ACTIONS = ["cancel", "pause", "resume"] as const;
const UNKNOWN = "01930000-0000-7000-8000-000000000000";

function ask({ http }: TestServices, action: string, query: Record<string, string>) {
  return http.post(`/notify/${action}`, undefined, { query });
}

/** Every route about one campaign, also the one that only reads. */
const ROUTES = [
  ...ACTIONS.map((action) => ({
    name: `POST /notify/${action}`,
    call: (t: TestServices, query: Record<string, string>) => ask(t, action, query),
  })),
  {
    name: "GET /notify/recipients",
    call: ({ http }: TestServices, query: Record<string, string>) =>
      http.get("/notify/recipients", { query }),
  },
];

Deno.test("POST /notify/pause, resume and cancel report what they did, and 0 the second time", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueue(t.sql, company, { count: 3 });
    await claim(t.sql, { limit: 1 });
    const query = { access_key: company.key.key, campaign_id: campaignId };
    const common = { success: true, campaign_id: campaignId, in_flight: 1 };

    const bodies = [];
    for (const action of ["pause", "pause", "resume", "resume", "pause", "cancel", "cancel"]) {
      const { status, body } = await ask(t, action, query);
      assert.equal(status, 200);
      bodies.push(body);
    }

    assert.deepEqual(bodies, [
      { ...common, status: "paused", paused: 2 },
      { ...common, status: "paused", paused: 0 },
      { ...common, status: "sending", resumed: 2 },
      { ...common, status: "sending", resumed: 0 },
      { ...common, status: "paused", paused: 2 },
      { ...common, status: "sending", stopped: 2 },
      { ...common, status: "sending", stopped: 0 },
    ]);
    assert.deepEqual(await countersOf(t.sql, campaignId), { processing: 1, cancelled: 2 });
    await assertConserved(t.sql);
  }));

Deno.test("GET /notify/status shows that a campaign is paused", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueue(t.sql, company);
    const query = { access_key: company.key.key, campaign_id: campaignId };
    await ask(t, "pause", query);

    const { body } = await t.http.get("/notify/status", { query });

    assert.deepEqual([body.status, body.total, body.pending], ["paused", 1, 1]);
  }));

Deno.test("POST /notify/resume wakes the dispatcher of its process", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueue(t.sql, company);
    const woken = t.services.newWork.wait(60_000);

    await ask(t, "resume", { access_key: company.key.key, campaign_id: campaignId });

    await woken;
  }));

for (const { name, call } of ROUTES) {
  Deno.test(`${name} responds 404 for another company's campaign and for an id that is not a campaign's`, () =>
    withServices(async (t) => {
      const [company, other] = [await insertSendingCompany(t.sql), await insertSendingCompany(t.sql)];
      const { campaignId } = await enqueue(t.sql, company);

      for (const campaign_id of [campaignId, UNKNOWN, "not-an-id"]) {
        const { status, body } = await call(t, { access_key: other.key.key, campaign_id });
        assert.deepEqual([status, body], [404, { success: false, message: "Campaign not found" }]);
      }
      assert.deepEqual(await countersOf(t.sql, campaignId), { pending: 1 });
      assert.equal(await heldOf(t.sql, campaignId), 0);
    }));

  Deno.test(`${name} responds 403 to a key without the channel's permission`, () =>
    withServices(async (t) => {
      const company = await insertSendingCompany(t.sql);
      const { campaignId } = await enqueue(t.sql, company);
      await t.sql`update outbound.api_keys set permissions = '{voice_notifications}'`;
      const query = { access_key: company.key.key, campaign_id: campaignId };

      const chat = await call(t, query);
      await t.sql`update outbound.campaigns set channel = 'voice'`;
      const voice = await call(t, query);

      const message = "This access key lacks the permission 'chatapp_notifications'";
      assert.deepEqual([chat.status, chat.body], [403, { success: false, message }]);
      assert.equal(voice.status, 200);
    }));

  Deno.test(`${name} checks the key, then the query`, () =>
    withServices(async (t) => {
      const company = await insertSendingCompany(t.sql);
      const access_key = company.key.key;

      const noKey = await call(t, { campaign_id: UNKNOWN });
      const wrongKey = await call(t, { access_key: "wrong" });
      const noCampaign = await call(t, { access_key });

      assert.deepEqual([noKey.status, noKey.body.error], [401, "unauthorized"]);
      assert.deepEqual([wrongKey.status, wrongKey.body.error], [401, "unauthorized"]);
      assert.deepEqual([noCampaign.status, noCampaign.body.details], [400, {
        field: "campaign_id",
        reason: "required",
      }]);
    }));

  Deno.test(`${name} is rate limited`, () =>
    withServices(async (t) => {
      const company = await insertSendingCompany(t.sql, { key: { rate_limit: 2 } });
      const query = { access_key: company.key.key, campaign_id: UNKNOWN };

      const first = await call(t, query);
      await call(t, query);
      const third = await call(t, query);

      assert.match(first.headers.get("RateLimit") ?? "", /^"requests";r=1;t=\d+$/);
      assert.deepEqual([third.status, third.body.error], [429, "rate_limit_exceeded"]);
      assert.ok(third.headers.has("Retry-After"));
    }));
}

Deno.test("GET on /notify/pause responds 405 and names POST", () =>
  withServices(async ({ http }) => {
    const { status, headers } = await http.get("/notify/pause");

    assert.deepEqual([status, headers.get("Allow")], [405, "POST"]);
  }));

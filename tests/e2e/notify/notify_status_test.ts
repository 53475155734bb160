import assert from "node:assert/strict";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { assertRefusedShortly } from "../assert_refused.ts";
import { type Api, withApi } from "../with_api.ts";

const FIELDS = ["success", "campaign_id", "campaign_name", "channel", "notification_type", "status", "total"]
  .concat(
    "pending",
    "processing",
    "sent",
    "delivered",
    "read",
    "failed",
    "cancelled",
    "skipped",
    "replied",
    "rejected",
  )
  .concat("created_at", "scheduled_time", "started_at", "completed_at");

Deno.test("GET /notify/status shows a new campaign with exactly the agreed fields", () =>
  withApi(async ({ notify, status }) => {
    const { body: { inquiry_set_id } } = await notify({
      campaign_name: "Autumn",
      notification_type: "marketing",
    });
    const campaign = await status(inquiry_set_id);

    assert.deepEqual(Object.keys(campaign).sort(), FIELDS.sort());
    const { created_at, ...rest } = campaign;
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(rest, {
      ...{ success: true, campaign_id: inquiry_set_id, campaign_name: "Autumn", channel: "whatsapp" },
      ...{ notification_type: "marketing", status: "sending", total: 1, pending: 1, processing: 0, sent: 0 },
      ...{ delivered: 0, read: 0, failed: 0, cancelled: 0, skipped: 0, replied: 0, rejected: 0 },
      ...{ scheduled_time: null, started_at: null, completed_at: null },
    });
  }));

const MISSING = "00000000-0000-4000-8000-000000000000";

Deno.test("GET /notify/status refuses in the short form, in the contract's words", () =>
  withApi(async ({ http, key, notify, addTenant }) => {
    const { body: { inquiry_set_id } } = await notify();
    const other = await addTenant();
    const cases: [query: Record<string, string>, status: number, message: string][] = [
      [{}, 400, "Missing required field: 'access_key'"],
      [{ access_key: "", campaign_id: inquiry_set_id }, 400, "Missing required field: 'access_key'"],
      [{ campaign_id: inquiry_set_id }, 400, "Missing required field: 'access_key'"],
      [{ access_key: key.key }, 400, "Missing required field: 'campaign_id'"],
      [{ access_key: "nonsense" }, 400, "Missing required field: 'campaign_id'"],
      [{ access_key: "nonsense", campaign_id: inquiry_set_id }, 404, "Invalid access_key"],
      [{ access_key: "nonsense", campaign_id: "nonsense" }, 404, "Invalid access_key"],
      [{ access_key: key.key, campaign_id: MISSING }, 404, "Campaign not found"],
      [{ access_key: key.key, campaign_id: "nonsense" }, 404, "Campaign not found"],
      [{ access_key: key.key, campaign_id: "x".repeat(10_000) }, 404, "Campaign not found"],
      [{ access_key: other.key.key, campaign_id: inquiry_set_id }, 404, "Campaign not found"],
    ];
    for (const [query, status, message] of cases) {
      assertRefusedShortly(await http.get("/notify/status", { query }), status, message, message);
    }
    const headers = { authorization: `Basic ${key.key}` };
    const malformed = await http.get("/notify/status", { query: { campaign_id: inquiry_set_id }, headers });
    assertRefusedShortly(malformed, 404, "Invalid access_key", "a malformed header");
  }));

Deno.test("GET /notify/status accepts any good key of the company, whatever its permissions", () =>
  withApi(async ({ notify, status, sql }) => {
    const { body: { inquiry_set_id } } = await notify();
    await sql`update outbound.api_keys set permissions = '{}'`;

    assert.equal((await status(inquiry_set_id)).success, true);
  }));

Deno.test("GET /notify/status is never limited", () =>
  withApi(async ({ notify, status, sql }) => {
    const { body: { inquiry_set_id } } = await notify();
    await sql`update outbound.api_keys set rate_limit = 1, daily_quota = 0`;
    const responses = await Promise.all(Array.from({ length: 50 }, () => status(inquiry_set_id)));

    assert.deepEqual(responses.filter(({ success }) => success !== true), []);
  }));

Deno.test("GET /notify/status counts refused contacts apart from the total", () =>
  withApi(async ({ notify, status }) => {
    const contacts = [{ number: "34600111222", name: "A" }, { number: "+1" }, {
      number: "34600111333",
      name: "B",
    }];
    const { body: { inquiry_set_id } } = await notify({ contact: undefined, contacts });
    const { total, pending, rejected } = await status(inquiry_set_id);

    assert.deepEqual({ total, pending, rejected }, { total: 2, pending: 2, rejected: 1 });
  }));

Deno.test("GET /notify/status calls a campaign without a good contact completed", () =>
  withApi(async ({ notify, status }) => {
    const { body } = await notify({ contact: undefined, contacts: [{ number: "+1" }] });
    const campaign = await status(body.inquiry_set_id);

    assert.deepEqual([campaign.status, campaign.total, campaign.rejected], ["completed", 0, 1]);
    assert.notEqual(campaign.completed_at, null);
  }));

/** Returns the name of a campaign as each of `keys` reads it, or the message of the refusal. */
async function namesOf(api: Api, keys: string[], campaignId: string): Promise<unknown[]> {
  return await Promise.all(keys.map(async (access_key) => {
    const { body } = await api.http.get("/notify/status", { query: { access_key, campaign_id: campaignId } });
    return body.campaign_name ?? body.message;
  }));
}

Deno.test("GET /notify/status keeps companies with campaigns of the same name apart", () =>
  withApi(async (api) => {
    const other = await api.addTenant();
    const query = { access_key: other.key.key };
    const mine = await api.notify({ campaign_name: "Same" });
    const theirs = await api.http.post("/notify", notifyBody(other, { campaign_name: "Same" }), { query });
    const keys = [api.key.key, other.key.key];

    assert.deepEqual(await namesOf(api, keys, mine.body.inquiry_set_id), ["Same", "Campaign not found"]);
    assert.deepEqual(await namesOf(api, keys, theirs.body.inquiry_set_id), ["Campaign not found", "Same"]);
  }));

import assert from "node:assert/strict";
import { insertMember } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { claim, enqueue, finish, insertSendingCompany } from "../../setup/fixtures/queue.ts";
import { type Manage, withManage } from "../with_manage.ts";

/** A campaign of which two of three messages failed, one for a reason that can pass. */
async function insertFailedCampaign(t: Manage) {
  const company = await insertSendingCompany(t.sql);
  const { operator } = t.members;
  await insertMember(t.sql, company.id, operator.userId, "operator");
  const { campaignId } = await enqueue(t.sql, company, { count: 3 });
  const [first, second, third] = await claim(t.sql);
  await finish(t.sql, [first!], { outcome: "sent" });
  await finish(t.sql, [second!], { outcome: "failed", error_code: "131026" });
  await finish(t.sql, [third!], { outcome: "failed", error_code: "131049" });
  const below = `/companies/${company.id}`;
  return {
    company,
    campaignId,
    ask: (method: string, path: string, body?: unknown) => operator.ask(method, `${below}${path}`, body),
  };
}

Deno.test("GET …/campaigns/{campaign_id}/failures groups failures by code, with what to do", () =>
  withManage(async (t) => {
    const { campaignId, ask } = await insertFailedCampaign(t);

    const { body } = await ask("GET", `/campaigns/${campaignId}/failures`);

    assert.deepEqual([body.failed, body.skipped], [2, 0]);
    const codes = body.failures.map(({ code, count, can_pass }: JsonObject) => [code, count, can_pass]);
    assert.deepEqual(codes.sort(), [["131026", 1, false], ["131049", 1, true]]);
    assert.equal((await t.read(`/campaigns/${campaignId}/failures`)).status, 404);
  }));

Deno.test("POST …/campaigns/{campaign_id}/resend resends those whose reason can pass once, with one audit row", () =>
  withManage(async (t) => {
    const { campaignId, ask } = await insertFailedCampaign(t);
    const path = `/campaigns/${campaignId}/resend`;

    const first = (await ask("POST", path, {})).body;
    const again = (await ask("POST", path, {})).body;

    assert.deepEqual([first.total, first.processed, first.resend_of], [1, 1, campaignId]);
    assert.deepEqual([again.total, again.inquiry_set_id], [0, null]);
    const resent = (await ask("GET", `/campaigns/${first.inquiry_set_id}`)).body;
    assert.deepEqual([resent.total, resent.pending], [1, 1]);
    assert.deepEqual(resent.resend_of, { campaign_id: campaignId, campaign_name: "A campaign" });
    assert.deepEqual(
      [resent.created_by.kind, resent.created_by.user_id],
      ["member", t.members.operator.userId],
    );
    const { body: { audit } } = await ask("GET", "/audit");
    assert.deepEqual(
      audit.map(({ actor, action, subject, after }: JsonObject) => ({ actor, action, subject, after })),
      [{
        actor: `user:${t.members.operator.userId}`,
        action: "campaign.resent",
        subject: campaignId,
        after: { campaign_id: first.inquiry_set_id, processed: 1 },
      }],
    );
  }));

Deno.test("POST …/campaigns/{campaign_id}/resend takes null for every field as if it were left out", () =>
  withManage(async (t) => {
    const { campaignId, ask } = await insertFailedCampaign(t);
    const nothing = { codes: null, campaign_name: null, datetime_sending: null, timezone: null };

    const { status, body } = await ask("POST", `/campaigns/${campaignId}/resend`, nothing);

    assert.deepEqual([status, body.message, body.processed], [200, "Resend queued", 1]);
  }));

Deno.test("POST …/campaigns/{campaign_id}/resend keeps to the quota of the company's key, and needs one that is active", () =>
  withManage(async (t) => {
    const { company, campaignId, ask } = await insertFailedCampaign(t);
    const resend = (body: unknown = {}) => ask("POST", `/campaigns/${campaignId}/resend`, body);
    const setKey = (column: string, value: unknown) =>
      t.sql`update outbound.api_keys set ${
        t.sql({ [column]: value } as Record<string, never>)
      } where id = ${company.key.id}`;

    await setKey("daily_quota", 0);
    assert.equal((await resend()).body.error, "quota_exceeded");
    await setKey("daily_quota", 100);
    await setKey("is_active", false);
    assert.equal((await resend()).body.message, "The company has no active access key to send with");
    assert.equal((await resend({ code: ["131026"] })).status, 400);
    assert.equal((await t.act(`/campaigns/${campaignId}/resend`, {})).status, 404);
    const [row] = await t
      .sql`select count(*)::int as count from outbound.campaigns where company_id = ${company.id}`;
    assert.equal(row!.count, 1);
  }));

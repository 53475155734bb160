import assert from "node:assert/strict";
import { verifyCampaign } from "../../../cli/campaign/actions.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { acceptCampaign } from "./accept_campaign.ts";

Deno.test("verifyCampaign() finds a counter that disagrees with the notifications", () =>
  withTestDatabase(async ({ sql }) => {
    const { campaignId } = await acceptCampaign(sql, { notifications: 2 });
    const before = await verifyCampaign({ sql }, { campaignId });
    await sql`update outbound.campaigns set pending = 1, failed = 1 where id = ${campaignId}`;

    const after = await verifyCampaign({ sql }, { campaignId });

    assert.deepEqual([before.ok, after.ok], [true, false]);
    const wrong = after.counters.filter(({ stored, actual }) => stored !== actual);
    assert.deepEqual(wrong, [
      { counter: "pending", stored: 1, actual: 2 },
      { counter: "failed", stored: 1, actual: 0 },
    ]);
  }));

Deno.test("verifyCampaign() counts notifications whose facts contradict their state", () =>
  withTestDatabase(async ({ sql }) => {
    const { campaignId } = await acceptCampaign(sql, { notifications: 2 });
    await sql`update outbound.notification_facts set read_at = now() where id = (
      select min(id::text)::uuid from outbound.notifications where campaign_id = ${campaignId})`;

    const { ok, counters } = await verifyCampaign({ sql }, { campaignId });

    assert.equal(ok, false);
    assert.deepEqual(counters.filter(({ stored, actual }) => stored !== actual), [
      { counter: "inconsistent", stored: 0, actual: 1 },
    ]);
  }));

Deno.test("verifyCampaign() names an id it does not find", () =>
  withTestDatabase(async ({ sql }) => {
    const campaignId = crypto.randomUUID();

    await assert.rejects(verifyCampaign({ sql }, { campaignId }), {
      code: "not_found",
      message: `No campaign with id ${campaignId}`,
    });
  }));

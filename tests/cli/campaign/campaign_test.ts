import assert from "node:assert/strict";
import {
  cancelCampaign,
  listCampaigns,
  showCampaign,
  verifyCampaign,
} from "../../../cli/campaign/actions.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { acceptCampaign } from "./accept_campaign.ts";

Deno.test("cancelCampaign() stops what waits, once, and its counters stay right", () =>
  withTestDatabase(async ({ sql }) => {
    const { campaignId } = await acceptCampaign(sql, { notifications: 3 });

    const first = await cancelCampaign({ sql }, { campaignId });
    const second = await cancelCampaign({ sql }, { campaignId });

    assert.deepEqual(first, { campaignId, status: "cancelled", cancelled: 3, inFlight: 0 });
    assert.deepEqual(second, { campaignId, status: "cancelled", cancelled: 0, inFlight: 0 });
    const shown = await showCampaign({ sql }, { campaignId });
    assert.deepEqual([shown.status, shown.pending, shown.cancelled], ["cancelled", 0, 3]);
    assert.equal((await verifyCampaign({ sql }, { campaignId })).ok, true);
  }));

Deno.test("cancelCampaign() returns how many a dispatcher has claimed already", () =>
  withTestDatabase(async ({ sql }) => {
    const { campaignId } = await acceptCampaign(sql, { notifications: 3 });
    await sql`
      update outbound.queue set status = 'sending', worker = 'w', lease_until = now() + interval '1 minute'
      where id = (select min(id::text)::uuid from outbound.notifications where campaign_id = ${campaignId})`;
    await sql`update outbound.campaigns set pending = 2, processing = 1 where id = ${campaignId}`;

    const result = await cancelCampaign({ sql }, { campaignId });

    assert.deepEqual(result, { campaignId, status: "sending", cancelled: 2, inFlight: 1 });
  }));

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

Deno.test("listCampaigns() keeps to a company and a limit", () =>
  withTestDatabase(async ({ sql }) => {
    const mine = await acceptCampaign(sql, { notifications: 1 });
    await acceptCampaign(sql, { notifications: 1 });

    const ofMine = await listCampaigns({ sql }, { companyId: mine.companyId });

    assert.deepEqual(
      ofMine.map(({ campaign_id: campaignId, status, total }) => ({ campaignId, status, total })),
      [
        { campaignId: mine.campaignId, status: "sending", total: 1 },
      ],
    );
    assert.equal((await listCampaigns({ sql })).length, 2);
    assert.equal((await listCampaigns({ sql }, { limit: 1 })).length, 1);
    await assert.rejects(listCampaigns({ sql }, { companyId: crypto.randomUUID() }), { code: "not_found" });
  }));

Deno.test("campaign actions name an id they do not find", () =>
  withTestDatabase(async ({ sql }) => {
    const campaignId = crypto.randomUUID();

    for (const action of [showCampaign, cancelCampaign, verifyCampaign]) {
      await assert.rejects(action({ sql }, { campaignId }), {
        code: "not_found",
        message: `No campaign with id ${campaignId}`,
      });
    }
  }));

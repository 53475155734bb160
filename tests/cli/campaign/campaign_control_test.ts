import assert from "node:assert/strict";
import {
  cancelCampaign,
  openRecipients,
  pauseCampaign,
  resumeCampaign,
  verifyCampaign,
} from "../../../cli/campaign/actions.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { acceptCampaign } from "./accept_campaign.ts";
import { runAdmin } from "../run_admin.ts";

Deno.test("pauseCampaign() holds what waits, resumeCampaign() releases it", () =>
  withTestDatabase(async ({ sql }) => {
    const { campaignId } = await acceptCampaign(sql, { notifications: 3 });

    const paused = await pauseCampaign({ sql }, { campaignId });
    const resumed = await resumeCampaign({ sql }, { campaignId });

    assert.deepEqual(paused, { campaignId, status: "paused", paused: 3, inFlight: 0 });
    assert.deepEqual(resumed, { campaignId, status: "sending", resumed: 3, inFlight: 0 });
  }));

Deno.test("cancelCampaign() works on a paused campaign", () =>
  withTestDatabase(async ({ sql }) => {
    const { campaignId } = await acceptCampaign(sql, { notifications: 3 });
    await pauseCampaign({ sql }, { campaignId });

    const result = await cancelCampaign({ sql }, { campaignId });

    assert.deepEqual(result, { campaignId, status: "cancelled", cancelled: 3, inFlight: 0 });
    assert.equal((await verifyCampaign({ sql }, { campaignId })).ok, true);
  }));

Deno.test("openRecipients() reads every recipient, or those in one state", () =>
  withTestDatabase(async ({ sql }) => {
    const { campaignId } = await acceptCampaign(sql, { notifications: 3 });

    const all = (await Array.fromAsync((await openRecipients({ sql }, { campaignId })).pages)).flat();
    const { pages } = await openRecipients({ sql }, { campaignId, status: "sent" });
    const sent = (await Array.fromAsync(pages)).flat();

    assert.deepEqual(all.map(({ number }) => number).sort(), ["15550001000", "15550001001", "15550001002"]);
    assert.deepEqual(sent, []);
  }));

Deno.test("pauseCampaign(), resumeCampaign() and openRecipients() name an id they do not find", () =>
  withTestDatabase(async ({ sql }) => {
    const campaignId = crypto.randomUUID();

    for (const action of [pauseCampaign, resumeCampaign, openRecipients]) {
      await assert.rejects(action({ sql }, { campaignId }), { code: "not_found" });
    }
  }));

Deno.test("admin campaign pause, resume and recipients print text, JSON and CSV", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { campaignId } = await acceptCampaign(sql, { notifications: 2 });
    const env = { DATABASE_URL: url };
    const admin = (...args: string[]) => runAdmin(["campaign", ...args], { env });

    const paused = await admin("pause", campaignId, "--json");
    const resumed = await admin("resume", campaignId);
    const csv = await admin("recipients", campaignId, "--csv");
    const both = await admin("recipients", campaignId, "--csv", "--json");
    const json = await admin("recipients", campaignId, "--status", "queued", "--json");
    const table = await admin("recipients", campaignId);
    const wrong = await admin("recipients", campaignId, "--status", "gone");

    assert.deepEqual(paused.json, { campaign_id: campaignId, status: "paused", paused: 2, in_flight: 0 });
    assert.equal(resumed.stdout, "2 notifications resumed\n");
    assert.match(
      csv.stdout,
      /^number,status,queued_at,.*\r\n1555000100\d,queued,.*\r\n1555000100\d,queued,.*\r\n$/,
    );
    assert.equal((json.json.recipients as unknown[]).length, 2);
    assert.equal((both.json.recipients as unknown[]).length, 2);
    assert.match(table.stdout, /^NUMBER +STATUS +QUEUED .*\n1555000100\d +queued /);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /scheduled, queued, sending/);
  }));

Deno.test("admin campaign pause, resume and cancel say when a campaign has ended", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { campaignId } = await acceptCampaign(sql, { notifications: 2 });
    const admin = (verb: string) => runAdmin(["campaign", verb, campaignId], { env: { DATABASE_URL: url } });
    await cancelCampaign({ sql }, { campaignId });

    const cancelled = await admin("cancel");
    await sql`update outbound.campaigns set cancelled = 1, failed = 1 where id = ${campaignId}`;
    const paused = await admin("pause");
    const resumed = await admin("resume");

    assert.equal(cancelled.stdout, "The campaign is cancelled: nothing was cancelled\n");
    assert.equal(paused.stdout, "The campaign is completed: nothing was paused\n");
    assert.equal(resumed.stdout, "The campaign is completed: nothing was resumed\n");
  }));

Deno.test("admin campaign resume says why a locked sender's campaign stays paused", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { companyId, campaignId } = await acceptCampaign(sql, { notifications: 2 });
    await sql`
      update outbound.senders set status = 'stopped', stopped_reason = 'Account locked', locked = true
      where company_id = ${companyId}`;

    const resumed = await runAdmin(["campaign", "resume", campaignId], { env: { DATABASE_URL: url } });

    assert.match(resumed.stdout, /^0 notifications resumed; the campaign is still paused: .*Account locked/);
  }));

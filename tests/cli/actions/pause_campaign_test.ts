import assert from "node:assert/strict";
import { cancelCampaign } from "../../../cli/actions/cancel_campaign.ts";
import { listRecipients } from "../../../cli/actions/list_recipients.ts";
import { pauseCampaign } from "../../../cli/actions/pause_campaign.ts";
import { resumeCampaign } from "../../../cli/actions/resume_campaign.ts";
import { verifyCampaign } from "../../../cli/actions/verify_campaign.ts";
import { withTestDatabase } from "../../setup/database.ts";
import { acceptCampaign } from "../accept_campaign.ts";
import { runAdmin } from "../run_admin.ts";

Deno.test("pauseCampaign() holds what waits, resumeCampaign() lets it go", () =>
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

    assert.deepEqual(result, { campaignId, cancelled: 3, inFlight: 0 });
    assert.equal((await verifyCampaign({ sql }, { campaignId })).ok, true);
  }));

Deno.test("listRecipients() tells what became of everyone, or of those in one state", () =>
  withTestDatabase(async ({ sql }) => {
    const { campaignId } = await acceptCampaign(sql, { notifications: 3 });

    const all = await listRecipients({ sql }, { campaignId });
    const sent = await listRecipients({ sql }, { campaignId, status: "sent" });

    assert.deepEqual(all.map(({ number }) => number).sort(), ["15550001000", "15550001001", "15550001002"]);
    assert.deepEqual(sent, []);
  }));

Deno.test("pauseCampaign(), resumeCampaign() and listRecipients() name an id they do not find", () =>
  withTestDatabase(async ({ sql }) => {
    const campaignId = crypto.randomUUID();

    for (const action of [pauseCampaign, resumeCampaign, listRecipients]) {
      await assert.rejects(action({ sql }, { campaignId }), { code: "not_found" });
    }
  }));

Deno.test("admin campaign pause, resume and recipients answer people, programs and spreadsheets", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { campaignId } = await acceptCampaign(sql, { notifications: 2 });
    const env = { DATABASE_URL: url };
    const admin = (...args: string[]) => runAdmin(["campaign", ...args], { env });

    const paused = await admin("pause", campaignId, "--json");
    const resumed = await admin("resume", campaignId);
    const csv = await admin("recipients", campaignId, "--csv");
    const json = await admin("recipients", campaignId, "--status", "queued", "--json");
    const table = await admin("recipients", campaignId);
    const wrong = await admin("recipients", campaignId, "--status", "gone");

    assert.deepEqual(paused.json, { campaign_id: campaignId, status: "paused", paused: 2, in_flight: 0 });
    assert.equal(resumed.stdout, "2 notifications resumed\n");
    assert.match(
      csv.stdout,
      /^number,status,queued_at,.*\r\n1555000100\d,queued,.*\r\n1555000100\d,queued,.*\n$/,
    );
    assert.equal((json.json.recipients as unknown[]).length, 2);
    assert.match(table.stdout, /^NUMBER +STATUS +QUEUED .*\n1555000100\d +queued /);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /scheduled, queued, sending/);
  }));

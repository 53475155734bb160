import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import { insertMember } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import {
  claim,
  enqueue,
  finish,
  insertSendingCompany,
  type RequestOverrides,
  type SendingCompany,
} from "../../setup/fixtures/queue.ts";
import { type Manage, withManage } from "../with_manage.ts";

interface SentCampaign {
  company: SendingCompany;
  campaignId: string;
  /** `GET` below the campaign, as the company's viewer. */
  read(path?: string, query?: Record<string, string>): Promise<{ status: number; body: JsonObject }>;
}

async function insertCampaign(t: Manage, overrides: RequestOverrides): Promise<SentCampaign> {
  const company = await insertSendingCompany(t.sql);
  const { viewer } = t.members;
  await insertMember(t.sql, company.id, viewer.userId, "viewer");
  const { campaignId } = await enqueue(t.sql, company, overrides);
  const root = `/companies/${company.id}/campaigns/${campaignId}`;
  return {
    company,
    campaignId,
    read: (path = "", query = {}) => viewer.ask("GET", `${root}${path}`, undefined, query),
  };
}

Deno.test("GET …/campaigns/{campaign_id} shows its counters, what it is sent by, and how fast", () =>
  withManage(async (t) => {
    const { company, campaignId, read } = await insertCampaign(t, { count: 4 });
    await finish(t.sql, await claim(t.sql, { limit: 2 }), { outcome: "sent" });
    await t
      .sql`update outbound.campaigns set started_at = now() - interval '60 seconds' where id = ${campaignId}`;

    const { body } = await read();

    assert.deepEqual([body.campaign_id, body.status, body.sent, body.pending], [campaignId, "sending", 2, 2]);
    assert.deepEqual([body.sender.sender_id, body.sender.number], [company.sender.id, company.sender.number]);
    assert.deepEqual([body.template.template_id, body.template.status], [company.template.id, "approved"]);
    assert.equal(body.agent, null);
    assert.ok(body.rate_per_minute > 1.9 && body.rate_per_minute <= 2, String(body.rate_per_minute));
    assert.ok(body.seconds_left >= 60 && body.seconds_left < 65, String(body.seconds_left));
  }));

Deno.test("GET …/campaigns/{campaign_id} says why it waits", () =>
  withManage(async (t) => {
    const { company, read } = await insertCampaign(t, {});
    await t.sql`update outbound.senders set status = 'stopped', stopped_reason = 'The token expired'
      where id = ${company.sender.id}`;

    const { body } = await read();

    assert.deepEqual([body.status, body.paused_reason], ["paused", "sender_stopped"]);
    assert.match(body.paused_detail, /The token expired/);
    assert.equal(body.sender.stopped_reason, "The token expired");
    assert.deepEqual([body.rate_per_minute, body.seconds_left], [null, null]);
  }));

Deno.test("GET …/recipients lists recipients page by page, in the order of the CSV file", () =>
  withManage(async (t) => {
    const { read } = await insertCampaign(t, { count: 3 });

    const first = (await read("/recipients", { limit: "2" })).body;
    const second = (await read("/recipients", { limit: "2", after: first.next })).body;

    const listed = [...first.recipients, ...second.recipients].map((row: JsonObject) => row.notification_id);
    assert.deepEqual([listed.length, second.next], [3, null]);
    const csv = (await read("/recipients", { format: "csv" })).body as unknown as string;
    const lines = csv.trimEnd().split("\r\n");
    assert.match(lines[0]!, /^number,status,/);
    const column = lines[0]!.split(",").indexOf("notification_id");
    assert.deepEqual(lines.slice(1).map((line) => line.split(",")[column]), listed);
  }));

Deno.test("GET …/recipients filters by state, code and number", () =>
  withManage(async (t) => {
    const { read } = await insertCampaign(t, { count: 3 });
    const claimed = await claim(t.sql, { limit: 1 });
    await finish(t.sql, claimed, { outcome: "failed", error_code: "131026" });
    const list = async (query: Record<string, string>) =>
      (await read("/recipients", query)).body.recipients.map((row: JsonObject) => row.notification_id);
    const all = (await read("/recipients")).body.recipients as JsonObject[];
    const failed = [claimed[0]!.id];

    assert.deepEqual(await list({ status: "failed" }), failed);
    assert.deepEqual(await list({ code: "131026" }), failed);
    assert.deepEqual(await list({ code: "131049" }), []);
    assert.deepEqual(await list({ number: all[1]!.number }), [all[1]!.notification_id]);
    assert.deepEqual(await list({ number: "4915550001234" }), []);
    const csv = (await read("/recipients", { format: "csv", status: "failed" })).body as unknown as string;
    assert.equal(csv.trimEnd().split("\r\n").length, 2);
  }));

Deno.test("GET …/recipients refuses bad filters, and does not know another company's campaign", () =>
  withManage(async (t) => {
    const { campaignId } = await insertCampaign(t, {});
    const own = `/campaigns/${crypto.randomUUID()}/recipients`;
    for (
      const [name, value] of [["status", "lost"], ["number", "+34 600"], ["format", "xml"], ["limit", "0"]]
    ) {
      const { status, body } = await t.read(own, { [name!]: value! });
      assert.deepEqual([status, body.error, body.details.field], [400, "validation_failed", name]);
    }
    for (const query of [{}, { format: "csv" }]) {
      assert.equal((await t.read(`/campaigns/${campaignId}/recipients`, query)).status, 404);
    }
    assert.equal((await t.read(`/campaigns/${campaignId}`)).status, 404);
    assert.equal((await t.read("/campaigns/1")).status, 404);
  }));

Deno.test("recipients leave as a file with an audit row, and not while API access is off", () =>
  withManage(async (t) => {
    const { company, campaignId, read } = await insertCampaign(t, { count: 2 });
    assert.equal((await read("/recipients", { format: "csv" })).status, 200);
    const rows = await t.sql`
      select actor, subject from outbound.audit_log
      where company_id = ${company.id} and action = 'recipients.exported'`;
    assert.deepEqual([...rows], [{ actor: `user:${t.members.viewer.userId}`, subject: campaignId }]);
    await t.sql`update outbound.companies set api_access = false where id = ${company.id}`;
    await eventually(async () => {
      const { status, body } = await read("/recipients", { format: "csv" });
      assert.deepEqual([status, body.message], [403, "API access is switched off for this company"]);
    });

    assert.equal((await read("/recipients")).body.recipients.length, 2);
  }));

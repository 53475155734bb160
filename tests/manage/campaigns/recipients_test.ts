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
    assert.deepEqual([body.created_by.kind, body.resend_of, body.upload_id], ["key", null, null]);
    assert.ok(body.rate_per_minute > 1.9 && body.rate_per_minute <= 2, String(body.rate_per_minute));
    assert.ok(body.seconds_left >= 60 && body.seconds_left < 65, String(body.seconds_left));
  }));

Deno.test("recipients have the names of contacts, and one is shown with the message as they get it", () =>
  withManage(async (t) => {
    const { company, read } = await insertCampaign(t, { count: 2 });
    const contactId = crypto.randomUUID();
    await t.sql`insert into outbound.contacts (company_id, id, name, source)
      values (${company.id}, ${contactId}, 'Ana Gil', 'import')`;
    await t.sql`insert into outbound.contact_addresses (company_id, kind, address, contact_id)
      values (${company.id}, 'number', '59171000100', ${contactId})`;

    const { recipients } = (await read("/recipients")).body;
    const known = recipients.find(({ number }: JsonObject) => number === "59171000100");
    const { body } = await read(`/recipients/${known.notification_id}`);

    assert.deepEqual(recipients.map(({ name }: JsonObject) => name).sort(), ["Ana Gil", null]);
    assert.deepEqual([body.number, body.name], ["59171000100", "Ana Gil"]);
    assert.match(body.rendered.body, /Ana/);
    const other = await insertCampaign(t, { count: 1 });
    assert.equal((await other.read(`/recipients/${known.notification_id}`)).status, 404);
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

Deno.test("pages of a filtered list find the few in a state, wherever they are in a large campaign", () =>
  withManage(async (t) => {
    const { read, campaignId } = await insertCampaign(t, { count: 1 });
    await t.sql`
      insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, number, message, status, sent_at)
      select n.company_id, ('ffffffff-ffff-7fff-8fff-' || lpad(to_hex(i), 12, '0'))::uuid, n.campaign_id, n.sender_id,
        (34600000000 + i)::text, n.message, case when i in (1900, 2500, 4999) then 'sent' else 'delivered' end, now()
      from outbound.notifications as n, generate_series(1, 5000) as i where n.campaign_id = ${campaignId}`;
    const found: string[] = [];
    const sizes: number[] = [];
    let after: string | null = null;
    do {
      const query: Record<string, string> = { status: "sent", limit: "50", ...(after !== null && { after }) };
      const { body } = await read("/recipients", query);
      found.push(...body.recipients.map((row: JsonObject) => row.number));
      sizes.push(body.recipients.length);
      after = body.next;
    } while (after !== null);

    assert.deepEqual(found, ["34600001900", "34600002500", "34600004999"]);
    assert.deepEqual(sizes, [1, 1, 1]);
    const csv = (await read("/recipients", { format: "csv", status: "sent" })).body as unknown as string;
    assert.equal(csv.trimEnd().split("\r\n").length, 4);
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

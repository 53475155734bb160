import assert from "node:assert/strict";
import { holdScheduled } from "../../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import { insertDraft } from "../../../supabase/functions/_shared/db/campaigns/drafts.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { claim } from "../../setup/fixtures/queue.ts";
import { csvOf, type Uploads, withUploads } from "../uploads/with_uploads.ts";

const DRAFTS = "/campaigns/drafts";

/** A draft of a campaign that is complete but for its recipients. */
function draftOf(t: Uploads, changes: JsonObject = {}): JsonObject {
  const { columns: _, ...plan } = t.body({
    components_push: { body_text_0: "{{name}}", body_text_1: "A-1" },
  });
  return { name: "Autumn", plan: { ...plan, ...changes } };
}

function put(
  t: Uploads,
  method: "PUT" | "DELETE",
  path: string,
  ifMatch: string | undefined,
  body?: JsonObject,
) {
  return t.http.request(method, `/manage/companies/${t.sending.id}${path}`, body, {
    headers: {
      authorization: `Bearer ${t.members.operator.token}`,
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
    },
  });
}

Deno.test("a draft is kept, listed, changed and removed, with one audit row for each change", () =>
  withUploads(async (t) => {
    const made = await t.ask("POST", DRAFTS, draftOf(t));
    const other = await t.ask("POST", DRAFTS, draftOf(t, { campaign_name: "Other" }));
    const path = `${DRAFTS}/${made.body.draft_id}`;
    const shown = await t.ask("GET", path);
    const listed = await t.ask("GET", DRAFTS);
    const page = await t.ask("GET", DRAFTS, undefined, { limit: "1", after: other.body.draft_id });
    const changed = await put(t, "PUT", path, "*", { ...draftOf(t), name: "Winter" });
    await put(t, "PUT", path, "*", { ...draftOf(t), name: "Winter" });
    const removed = await put(t, "DELETE", path, "*");

    assert.equal(made.status, 200);
    assert.deepEqual(shown.body, made.body);
    assert.deepEqual(listed.body.drafts.map(({ draft_id }: JsonObject) => draft_id), [
      other.body.draft_id,
      made.body.draft_id,
    ]);
    assert.deepEqual(page.body.drafts, [made.body]);
    assert.deepEqual([changed.body.name, changed.body.updated_by], [
      "Winter",
      `user:${t.members.operator.userId}`,
    ]);
    assert.deepEqual(removed.body, { draft_id: made.body.draft_id, removed: true });
    assert.equal((await t.ask("GET", path)).status, 404);
    const audit = await t.sql`select action from outbound.audit_log where company_id = ${t.sending.id}`;
    const actions = audit.map(({ action }) => action).filter((action) => action.startsWith("draft."));
    assert.deepEqual(actions.toSorted(), [
      "draft.created",
      "draft.created",
      "draft.removed",
      "draft.updated",
    ]);
  }));

Deno.test("a member's change of a draft is not lost under another's", () =>
  withUploads(async (t) => {
    const { body: { draft_id } } = await t.ask("POST", DRAFTS, draftOf(t));
    const path = `${DRAFTS}/${draft_id}`;
    const etag = (await t.ask("GET", path)).headers.get("etag")!;

    const mine = await put(t, "PUT", path, etag, { ...draftOf(t), name: "Mine" });
    const theirs = await put(t, "PUT", path, etag, { ...draftOf(t), name: "Theirs" });
    const removal = await put(t, "DELETE", path, etag);
    const unnamed = await put(t, "PUT", path, undefined, draftOf(t));

    assert.deepEqual([mine, theirs, removal, unnamed].map(({ status }) => status), [200, 412, 412, 428]);
    assert.equal((await put(t, "DELETE", path, mine.headers.get("etag")!)).status, 200);
  }));

Deno.test("a draft has no recipients, and no times of another form", () =>
  withUploads(async (t) => {
    const refused: [changes: JsonObject, field: string][] = [
      [{ contacts: [{ number: "34600111222" }] }, "plan.contacts"],
      [{ recipient_time: "nine" }, "recipient_time"],
      [{ channel: "fax" }, "plan.channel"],
    ];
    for (const [changes, field] of refused) {
      const { status, body } = await t.ask("POST", DRAFTS, draftOf(t, changes));
      assert.deepEqual([status, body.details.field], [400, field]);
    }
    const { id } = t.sending;
    const elsewhere = await t.members.operator.ask("GET", `/companies/${t.company.id}${DRAFTS}`);
    await t.ask("POST", DRAFTS, draftOf(t));
    assert.deepEqual(elsewhere.body.drafts, [], id);
  }));

Deno.test("a test sends a draft to the company's test recipients, as a campaign of its own", () =>
  withUploads(async (t) => {
    const draft = draftOf(t, {
      recipient_time: "09:00",
      datetime_sending: "2099-01-31T09:00:00",
      columns: { number: "Phone", body_text_1: "Order" },
      components_push: { body_text_0: "{{name}}" },
    });
    const { body: { draft_id } } = await t.ask("POST", DRAFTS, draft);
    const path = `${DRAFTS}/${draft_id}/test`;
    const none = await t.ask("POST", path);
    const recipients = [{ number: "34600999001", name: "Ana" }, { number: "34600999002", name: "Luis" }];
    const saved = await t.ask("PUT", "/settings/test_recipients", { test_recipients: recipients });

    const sent = await t.ask("POST", path, { contact: { body_text_1: "A-77" } });
    const plan = { ...draftOf(t).plan, campaign_name: "Changed" };
    const other = await t.ask("POST", path, { plan });

    assert.deepEqual([none.status, saved.body], [400, { test_recipients: recipients }]);
    assert.deepEqual([sent.status, sent.body.processed, sent.body.scheduled_time], [200, 2, undefined]);
    const [row] = await t.sql`select name from outbound.campaigns where id = ${sent.body.inquiry_set_id}`;
    assert.equal(row!.name, "Test: Orders");
    const stored = await t.stored();
    assert.deepEqual(
      stored.filter(({ campaign_id }) => campaign_id === sent.body.inquiry_set_id)
        .map(({ number, message }) => [number, message[0]!.parameters.map(({ text }: JsonObject) => text)]),
      [["34600999001", ["Ana", "A-77"]], ["34600999002", ["Luis", "A-77"]]],
    );
    const [second] = await t.sql`select name from outbound.campaigns where id = ${other.body.inquiry_set_id}`;
    assert.equal(second!.name, "Test: Changed");
    const others = await t.members.owner.ask("GET", `/companies/${t.company.id}/settings/test_recipients`);
    assert.deepEqual(others.body.test_recipients, []);
  }));

Deno.test("test recipients are up to ten numbers, each once, and the audit has no number", () =>
  withUploads(async (t) => {
    const many = Array.from({ length: 11 }, (_, n) => ({ number: String(34_600_000_000 + n), name: "Ana" }));
    const twice = [many[0]!, many[0]!];
    for (const test_recipients of [many, twice, [{ number: "+34 600", name: "Ana" }]]) {
      const { status } = await t.ask("PUT", "/settings/test_recipients", { test_recipients });
      assert.equal(status, 400);
    }
    await t.ask("PUT", "/settings/test_recipients", { test_recipients: many.slice(1) });

    const { body } = await t.ask("GET", "/settings/test_recipients");

    assert.equal(body.test_recipients.length, 10);
    const rows = await t.sql`select * from outbound.audit_log where company_id = ${t.sending.id}`;
    const audit = JSON.stringify(rows);
    assert.ok(audit.includes("test_recipients.updated") && !audit.includes("34600000"));
    await t.sql`select outbound.delete_contact_data(${t.sending.id}, array['34600000001'], '{}')`;
    const left = await t.ask("GET", "/settings/test_recipients");
    assert.equal(left.body.test_recipients.length, 9, "erasing a person takes the number out");
  }));

Deno.test("the copy of a campaign from a file has its values and columns, and says what it lacks", () =>
  withUploads(async (t) => {
    const uploadId = await t.create({ spread_over: "PT1H", datetime_sending: "2099-01-31T09:00:00" });
    const { body: { campaign_id } } = await t.send(uploadId, csvOf(2));

    const { status, body } = await t.ask("POST", `/campaigns/${campaign_id}/copy`);

    assert.equal(status, 200);
    const { country, duplicates, datetime_sending: _, ...plan } = {
      ...t.body({ spread_over: "PT1H" }),
      duplicates: "refuse",
    } as JsonObject;
    assert.deepEqual(body.plan, { ...plan, country, duplicates });
    assert.deepEqual(body.not_copied.map(({ field }: JsonObject) => field), ["contacts", "datetime_sending"]);
    const again = await t.ask("POST", "/uploads", body.plan);
    assert.equal(again.status, 200, JSON.stringify(again.body));
  }));

Deno.test("the copy of any other campaign has all but its values", () =>
  withUploads(async (t) => {
    const { sender, template, key } = t.sending;
    const fields = {
      ...draftOf(t, { recipient_time: "09:00" }).plan,
      contact: { number: "34600111222", name: "Ana" },
    };
    const { channel: _, country: __, ...request } = fields;
    const sent = await t.http.post("/notify", request, { query: { access_key: key.key } });

    const { body } = await t.ask("POST", `/campaigns/${sent.body.inquiry_set_id}/copy`);

    assert.deepEqual(body.plan, {
      channel: "whatsapp",
      recipient_id: sender.number,
      notification_type: "utility",
      campaign_name: "Orders",
      name_template: template.name,
      language_template: "en",
      recipient_time: "09:00",
    });
    assert.deepEqual(body.not_copied.map(({ field }: JsonObject) => field), [
      "contacts",
      "datetime_sending",
      "components_push",
    ]);
  }));

Deno.test("a scheduled campaign is taken back as a draft with its time; nothing of it leaves, and its quota comes back", () =>
  withUploads(async (t) => {
    const times = { spread_over: "PT1H", datetime_sending: "2099-07-31T09:00:00", timezone: "Europe/Madrid" };
    const { body: { campaign_id } } = await t.send(await t.create(times), csvOf(2));
    await t.ask("POST", `/campaigns/${campaign_id}/move`, {
      ...times,
      spread_over: undefined,
      datetime_sending: LATER,
    });

    const { status, body } = await t.ask("POST", `/campaigns/${campaign_id}/edit`);

    assert.equal(status, 200, JSON.stringify(body));
    const { datetime_sending, timezone, spread_over, columns } = body.plan;
    assert.deepEqual([datetime_sending, timezone, spread_over], [LATER, "Europe/Madrid", "PT1H"]);
    assert.deepEqual(columns, t.body().columns);
    assert.deepEqual(body.not_copied.map(({ field }: JsonObject) => field), ["contacts"]);
    const campaign = (await t.ask("GET", `/campaigns/${campaign_id}`)).body;
    assert.deepEqual([campaign.status, campaign.cancelled, campaign.pending], ["cancelled", 2, 0]);
    const [usage] = await t.sql`select sum(notifications)::int as used from outbound.usage`;
    assert.equal(usage!.used, 0);
    const again = await t.ask("POST", `/campaigns/${campaign_id}/edit`);
    assert.deepEqual([again.status, again.body.error], [409, "campaign_not_scheduled"]);
  }));

const LATER = "2099-08-01T10:30:00";

Deno.test("a campaign whose taking back broke off after the draft was made is taken back by the next request", () =>
  withUploads(async (t) => {
    const times = { datetime_sending: "2099-07-31T09:00:00" };
    const { body: { campaign_id } } = await t.send(await t.create(times), csvOf(3));
    await t.ask("POST", `/campaigns/${campaign_id}/pause`);
    await t.sql`
      insert into outbound.campaign_drafts (company_id, id, name, plan, created_by, updated_by)
      values (${t.sending.id}, ${campaign_id}, 'Orders', '{"channel":"whatsapp"}', 'user:1', 'user:1')`;

    const { status, body } = await t.ask("POST", `/campaigns/${campaign_id}/edit`);

    assert.deepEqual([status, body.draft_id], [200, campaign_id]);
    assert.equal((await t.ask("GET", `/campaigns/${campaign_id}`)).body.status, "cancelled");
  }));

Deno.test("insertDraft() returns the draft that has the id already, and records no other in the audit", () =>
  withUploads(async ({ sql, sending: { id: companyId } }) => {
    const draft = { companyId, draftId: crypto.randomUUID(), plan: { channel: "whatsapp" as const } };
    const first = await insertDraft(sql, { ...draft, name: "First" }, { actor: "user:1" });

    const second = await insertDraft(sql, { ...draft, name: "Second" }, { actor: "user:2" });

    assert.deepEqual(second, first);
    const [audited] = await sql`select count(*)::int from outbound.audit_log where action = 'draft.created'`;
    assert.equal(audited!.count, 1);
  }));

Deno.test("two members who take a campaign back at once get one draft", () =>
  withUploads(async (t) => {
    const times = { datetime_sending: "2099-07-31T09:00:00" };
    const { body: { campaign_id } } = await t.send(await t.create(times), csvOf(3));

    const both = await Promise.all([1, 2].map(() => t.ask("POST", `/campaigns/${campaign_id}/edit`)));

    assert.ok(both.every(({ status }) => status === 200 || status === 409), JSON.stringify(both));
    assert.ok(both.some(({ status }) => status === 200));
    assert.equal((await t.ask("GET", DRAFTS)).body.drafts.length, 1);
    assert.equal((await t.ask("GET", `/campaigns/${campaign_id}`)).body.status, "cancelled");
  }));

Deno.test("a campaign that has started is not taken back, and goes on", () =>
  withUploads(async (t) => {
    const { body: { campaign_id } } = await t.send(await t.create(), csvOf(3));
    await claim(t.sql, { limit: 1 });

    const { status, body } = await t.ask("POST", `/campaigns/${campaign_id}/edit`);

    assert.deepEqual([status, body.error], [409, "campaign_not_scheduled"]);
    const campaign = (await t.ask("GET", `/campaigns/${campaign_id}`)).body;
    assert.deepEqual([campaign.status, campaign.cancelled], ["sending", 0]);
    assert.deepEqual((await t.ask("GET", DRAFTS)).body.drafts, []);
  }));

Deno.test("a scheduled campaign that starts while it is taken back goes on too", () =>
  withUploads(async (t) => {
    const times = { datetime_sending: "2099-07-31T09:00:00" };
    const { body: { campaign_id } } = await t.send(await t.create(times), csvOf(3));
    const ids = { companyId: t.sending.id, campaignId: campaign_id };
    // As if a dispatcher had begun between the look and the pause.
    await t.sql`
      create function outbound.start_meanwhile() returns trigger language plpgsql as $$
      begin new.started_at := now(); return new; end $$`;
    await t.sql`
      create trigger start_meanwhile before update on outbound.campaigns for each row
      when (old.paused_at is null and new.paused_at is not null) execute function outbound.start_meanwhile()`;

    const { outcome } = await holdScheduled(t.sql, ids, { actor: "user:test" });

    const campaign = (await t.ask("GET", `/campaigns/${campaign_id}`)).body;
    assert.deepEqual([outcome, campaign.paused_at, campaign.cancelled], ["started", null, 0]);
  }));

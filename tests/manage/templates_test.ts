import assert from "node:assert/strict";
import {
  insertMember,
  insertSender,
  insertTemplate,
  type SenderFixture,
} from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { enqueue, insertSendingCompany } from "../setup/fixtures/queue.ts";
import { type TestSandbox, withSandbox } from "../setup/stack/sandbox.ts";
import { TEST_ENV } from "../setup/stack/services.ts";
import { type Manage, withManage } from "./with_manage.ts";

const NEW_TEMPLATE = {
  name_template: "order_ready",
  language_template: "en_US",
  category_template: "UTILITY",
  components_template: { BODY: { text: "Hello {1}, your order {2} is ready." } },
};

/** With a platform that knows the company's sender. */
async function withPlatform(
  fn: (t: Manage & { sandbox: TestSandbox; sender: SenderFixture }) => Promise<void>,
): Promise<void> {
  await withSandbox(TEST_ENV.WHATSAPP_APP_SECRET, (sandbox) =>
    withManage(async (t) => {
      const sender = await insertSender(t.sql, t.company.id);
      await sandbox.addAccount(sender, []);
      await fn({ ...t, sandbox, sender });
    }, { env: { WHATSAPP_API_URL: sandbox.url } }));
}

Deno.test("GET …/templates lists templates page by page, newest first, filtered, with the campaigns they hold", () =>
  withManage(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { viewer } = t.members;
    await insertMember(t.sql, company.id, viewer.userId, "viewer");
    const rejected = await insertTemplate(t.sql, company.sender, { status: "rejected" });
    await enqueue(t.sql, company);
    await t.sql`update outbound.campaigns set held_reason = 'Paused' where company_id = ${company.id}`;
    const list = async (query: Record<string, string>) =>
      (await viewer.ask("GET", `/companies/${company.id}/templates`, undefined, query)).body;

    const first = await list({ limit: "1" });
    const second = await list({ limit: "1", after: first.next });

    assert.deepEqual([first.templates[0].template_id, first.templates[0].held_campaigns], [rejected.id, 0]);
    const { template_id, held_campaigns } = second.templates[0];
    assert.deepEqual([template_id, held_campaigns], [company.template.id, 1]);
    const ids = async (query: Record<string, string>) =>
      (await list(query)).templates.map((row: JsonObject) => row.template_id);
    assert.deepEqual(await ids({ status: "rejected" }), [rejected.id]);
    assert.deepEqual(await ids({ name: company.template.name }), [company.template.id]);
    assert.deepEqual(await ids({ waba_id: "1" }), []);
    assert.deepEqual((await t.read("/templates")).body.templates, [], "another company");
  }));

Deno.test("GET …/templates/{template_id} shows its parts, and the values that a message supplies", () =>
  withManage(async (t) => {
    const own = await insertTemplate(t.sql, await insertSender(t.sql, t.company.id));
    const other = await insertSendingCompany(t.sql);

    const { body } = await t.read(`/templates/${own.id}`);

    assert.deepEqual([body.name, body.parameter_format, body.components[0].type], [
      own.name,
      "POSITIONAL",
      "BODY",
    ]);
    assert.deepEqual(
      body.values.map(({ name, required }: JsonObject) => [name, required]),
      [["body_text_0", true], ["body_text_1", true]],
    );
    assert.equal((await t.read(`/templates/${other.template.id}`)).status, 404);
  }));

Deno.test("POST …/templates submits a template once per Idempotency-Key, with one audit row", () =>
  withPlatform(async (t) => {
    const body = { ...NEW_TEMPLATE, waba_id: t.sender.waba_id };
    const { token, userId } = t.members.operator;
    const headers = { authorization: `Bearer ${token}`, "idempotency-key": "once" };
    const submit = (changes = {}) =>
      t.http.post(`/manage/companies/${t.company.id}/templates`, { ...body, ...changes }, { headers });

    const first = await submit();
    const again = await submit();
    const changed = await submit({ language_template: "es" });

    assert.equal(first.status, 200, JSON.stringify(first.body));
    assert.deepEqual([again.body, again.headers.get("idempotent-replayed")], [first.body, "true"]);
    assert.deepEqual([changed.status, changed.body.error], [422, "idempotency_key_reused"]);
    assert.equal((await t.sandbox.templates()).length, 1);
    const { body: { audit } } = await t.read("/audit");
    assert.deepEqual(
      audit.map(({ actor, action, subject, after }: JsonObject) => ({ actor, action, subject, after })),
      [{
        actor: `user:${userId}`,
        action: "template.submitted",
        subject: first.body.template.id,
        after: { waba_id: t.sender.waba_id, name: "order_ready", language: "en_US", category: "UTILITY" },
      }],
    );
  }));

Deno.test("POST …/templates refuses accounts of others, and bodies the platform would refuse, and stores nothing", () =>
  withPlatform(async (t) => {
    const other = await insertSendingCompany(t.sql);
    const refusals = [
      [{ waba_id: other.sender.waba_id }, "waba_id"],
      [{ waba_id: undefined }, "waba_id"],
      [{ name_template: "Order ready" }, "name_template"],
      [{ components_template: { BODY: { text: "" } } }, "components_template.BODY.text"],
    ] as const;
    for (const [changes, field] of refusals) {
      const body = { ...NEW_TEMPLATE, waba_id: t.sender.waba_id, ...changes };
      const answer = await t.act("/templates", body);
      assert.deepEqual([answer.status, answer.body.details.field], [400, field], JSON.stringify(answer.body));
    }
    const [row] = await t.sql`
      select (select count(*)::int from outbound.template_submissions) as submissions,
        (select count(*)::int from outbound.templates where company_id = ${t.company.id}) as templates`;
    assert.deepEqual({ ...row }, { submissions: 0, templates: 0 });
    assert.deepEqual((await t.read("/audit")).body.audit, []);
  }));

Deno.test("POST …/templates/sync takes over what the platform has, and is in the audit where that differed", () =>
  withPlatform(async (t) => {
    await insertTemplate(t.sql, t.sender, { name: "gone" });

    const first = await t.act("/templates/sync");
    const again = await t.act("/templates/sync");

    const { waba_id } = t.sender;
    assert.deepEqual(first.body.accounts, [{ waba_id, templates: 0, changed: 1, error: null }]);
    assert.deepEqual(again.body.accounts, [{ waba_id, templates: 0, changed: 0, error: null }]);
    assert.equal((await t.read("/templates")).body.templates[0].status, "disabled");
    const { body: { audit } } = await t.read("/audit");
    assert.deepEqual(
      audit.map(({ action, subject, after }: JsonObject) => ({ action, subject, after })),
      [{ action: "templates.synced", subject: waba_id, after: { changed: 1 } }],
    );
  }));

Deno.test("POST …/templates/sync is limited per company, and says which account could not be read", () =>
  withPlatform(async (t) => {
    await insertSender(t.sql, t.company.id);
    const statuses = [];
    for (let count = 0; count < 7; count++) {
      const { status, body } = await t.act("/templates/sync");
      statuses.push(status);
      if (status === 200) {
        const failed = body.accounts.filter(({ error }: JsonObject) => error !== null);
        assert.equal(failed.length, 1);
      }
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429]);
  }));

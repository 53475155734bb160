import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { enqueue } from "../setup/fixtures/queue.ts";
import { seedCompany } from "./seed_company.ts";
import { type ConnectedAgent, type Mcp, withMcp } from "./with_mcp.ts";

const message = ({ company }: Mcp, changes: JsonObject = {}): JsonObject => ({
  contact: { number: "34600111222", name: "Ana" },
  recipient_id: company.sender.number,
  name_template: company.template.name,
  language_template: "en",
  notification_type: "utility",
  components_push: { body_text_0: "{{name}}", body_text_1: "A-1001" },
  ...changes,
});

async function notificationsOf({ sql, company }: Mcp): Promise<number> {
  const [row] = await sql`select count(*)::int from outbound.notifications where company_id = ${company.id}`;
  return row!.count;
}

async function auditOf({ sql, company }: Mcp): Promise<string[][]> {
  const rows = await sql`
    select actor, action, subject from outbound.audit_log where company_id = ${company.id} order by at, id`;
  return rows.map(({ actor, action, subject }) => [actor, action, subject]);
}

/** An agent with the company's key, and one of its operator: each with the name that the audit gives it. */
async function writers(t: Mcp): Promise<[ConnectedAgent, string][]> {
  const { operator } = t.members;
  return [
    [await t.connect(t.company.key.key, { write: "1" }), `mcp:key:${t.company.key.id}`],
    [
      await t.connect(operator.token, { write: "1", company_id: t.company.id }),
      `mcp:user:${operator.userId}`,
    ],
  ];
}

Deno.test("send_test sends one message, once per idempotency key, and is in the audit", () =>
  withMcp(async (t) => {
    for (const [index, [{ use }, actor]] of (await writers(t)).entries()) {
      const args = message(t, { idempotency_key: `test-${index}` });
      const before = (await auditOf(t)).length;

      const first = await use("send_test", args);
      const second = await use("send_test", args);
      const other = await use("send_test", { ...args, campaign_name: "Another" });

      assert.equal(first.isError, false, JSON.stringify(first.body));
      assert.deepEqual(second.body, first.body);
      assert.deepEqual([other.isError, other.body.error], [true, "idempotency_key_reused"]);
      assert.equal(await notificationsOf(t), index + 1);
      const { inquiry_set_id } = first.body.sent;
      assert.deepEqual((await auditOf(t)).slice(before), [[actor, "test.sent", inquiry_set_id]]);
      const found = await use("find_recipient", { number: "34600111222" });
      assert.equal(found.body.notifications[0].campaign_id, inquiry_set_id);
    }
  }));

Deno.test("send_test that was interrupted before its audit is in the audit once it is repeated", () =>
  withMcp(async (t) => {
    const [[{ use }, actor]] = await writers(t) as [[ConnectedAgent, string]];
    const args = message(t, { idempotency_key: "interrupted" });
    await t.sql`alter table outbound.audit_log rename to gone`;
    const interrupted = await use("send_test", args);
    await t.sql`alter table outbound.gone rename to audit_log`;

    const { body } = await use("send_test", args);

    assert.equal(interrupted.isError, true);
    assert.equal(await notificationsOf(t), 1);
    assert.deepEqual(await auditOf(t), [[actor, "test.sent", body.sent.inquiry_set_id]]);
  }));

Deno.test("send_test needs an idempotency key, and a dry run sends nothing", () =>
  withMcp(async (t) => {
    for (const [{ use }] of await writers(t)) {
      const missing = await use("send_test", message(t));
      const { isError, body } = await use("send_test", message(t, { dry_run: true }));

      assert.deepEqual([missing.isError, missing.body.details.field], [true, "idempotency_key"]);
      assert.equal(isError, false, JSON.stringify(body));
      assert.deepEqual([body.sent, body.dry_run.ok], [null, 1]);
      assert.equal(body.dry_run.recipients[0].rendered.body, "Hello Ana, your order A-1001 is ready.");
    }
    assert.equal(await notificationsOf(t), 0);
    assert.deepEqual(await auditOf(t), []);
  }));

Deno.test("send_test refuses what POST /notify refuses, in its words", () =>
  withMcp(async (t) => {
    const [[{ use }]] = await writers(t) as [[ConnectedAgent, string]];
    const refusals: [JsonObject, string, string?][] = [
      [{ contact: { number: "+34" } }, "validation_failed", "contact.number"],
      [{ contact: {} }, "validation_failed", "contact.number"],
      [{ contact: [{ number: "34600111222" }] }, "validation_failed", "contact"],
      [{ name_template: "unknown" }, "template_not_found"],
      [{ recipient_id: "34999999999" }, "validation_failed"],
      [{ components_push: { body_text_0: "x" } }, "variable_mismatch"],
      [{ contacts: [{ number: "34600111222" }] }, "validation_failed", "contacts"],
      [{ idempotency_key: "two words" }, "validation_failed", "idempotency_key"],
    ];
    for (const [changes, error, field] of refusals) {
      const { isError, body } = await use("send_test", message(t, { idempotency_key: "k", ...changes }));
      assert.deepEqual([isError, body.error], [true, error], JSON.stringify({ changes, body }));
      if (field !== undefined) assert.equal(body.details.field, field);
    }
    assert.equal(await notificationsOf(t), 0);
  }));

Deno.test("a member cannot send for a company without an active key", () =>
  withMcp(async (t) => {
    await t.sql`update outbound.api_keys set is_active = false where company_id = ${t.company.id}`;
    const { use } = await t.connect(t.members.owner.token, { write: "1", company_id: t.company.id });
    const { isError, body } = await use("send_test", message(t, { idempotency_key: "k" }));

    assert.deepEqual([isError, body.error], [true, "validation_failed"]);
  }));

Deno.test("campaigns are paused, resumed and cancelled through an agent, each in the audit", () =>
  withMcp(async (t) => {
    for (const [{ use }, actor] of await writers(t)) {
      const { campaignId: campaign_id } = await enqueue(t.sql, t.company, { count: 2 });
      const before = (await auditOf(t)).length;
      const statuses: string[] = [];
      for (const verb of ["pause", "resume", "cancel"]) {
        const { body } = await use(`${verb}_campaign`, { campaign_id });
        statuses.push(`${body.status} ${body.changed}`);
      }

      assert.deepEqual(statuses, ["paused 2", "sending 2", "cancelled 2"]);
      assert.deepEqual((await auditOf(t)).slice(before), [
        [actor, "campaign.paused", campaign_id],
        [actor, "campaign.resumed", campaign_id],
        [actor, "campaign.cancelled", campaign_id],
      ]);
    }
  }));

Deno.test("a delivery is replayed through an agent, which is in the audit", () =>
  withMcp(async (t) => {
    const { event_id } = await seedCompany(t);
    await t.sql`
      update outbound.webhook_deliveries set status = 'failed', finished_at = now() where event_id = ${event_id}`;
    const [[{ use }, actor]] = await writers(t) as [[ConnectedAgent, string]];

    const { body } = await use("replay_delivery", { event_id });

    assert.equal(body.replayed, 1);
    const [entry] = await auditOf(t);
    assert.equal(entry![0], actor);
    await t.sql`update outbound.webhooks set is_active = false where company_id = ${t.company.id}`;
    assert.equal((await use("replay_delivery", { event_id })).body.error, "webhook_off");
  }));

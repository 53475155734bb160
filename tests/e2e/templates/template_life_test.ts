import assert from "node:assert/strict";
import type { TemplateAccount } from "../../../supabase/functions/_shared/db/templates/templates.ts";
import { syncAccount, syncDueAccounts } from "../../../supabase/functions/_shared/templates/sync_accounts.ts";
import { runDispatcher } from "../../../supabase/functions/_shared/dispatching/dispatcher.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertSender } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { assertRefused } from "../assert_refused.ts";
import { createTemplate, listMade } from "./create_template.ts";
import { type Api, withApi } from "../with_api.ts";
import { planTurns } from "../../setup/fixtures/queue.ts";

const NAME = "order_on_its_way";
const VALUES = { body_text_0: "{{name}}", body_text_1: "A-17", buttons_url_0: "a17" };

function sendMade(api: Api, changes: JsonObject = {}) {
  return api.notify({ name_template: NAME, language_template: "en_US", components_push: VALUES, ...changes });
}

function assertNotApproved(refused: Parameters<typeof assertRefused>[0], current_status: string): void {
  assertRefused(refused, {
    status: 422,
    error: "template_not_approved",
    details: { template_name: NAME, current_status, required_status: "approved" },
  });
}

/** Gives the template a status at the platform, and waits until `GET /notify/templates` says so. */
async function review(api: Api, status: string, shown: string, reason?: string): Promise<JsonObject> {
  const template = (await api.sandbox.templates()).find(({ name }) => name === NAME);
  await api.sandbox.setTemplate(template!.id, status, reason);
  return await eventually(async () => {
    const [made] = await listMade(api);
    assert.equal(made!.status, shown);
    return made!;
  });
}

async function campaign({ http, key }: Api, campaign_id: string): Promise<JsonObject> {
  const response = await http.get("/notify/status", { query: { access_key: key.key, campaign_id } });
  assert.equal(response.status, 200);
  return response.body;
}

async function whileDispatching(api: Api, fn: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const dispatcher = runDispatcher(api.services, { signal: stop.signal });
  try {
    await fn();
  } finally {
    stop.abort();
    await dispatcher;
  }
}

/** The texts people see, in the order they were taken. */
async function seen({ sandbox }: Api): Promise<string[]> {
  return (await sandbox.messages()).map((message) => JSON.stringify(message));
}

Deno.test("a template's life: submitted, rejected or approved, sent, paused, and its campaigns wait and go on", () =>
  withApi(async (api) => {
    const { http, key, sandbox } = api;
    await insertWebhook(api.sql, api.company.id);
    await createTemplate(api);
    assert.equal((await listMade(api))[0]!.status, "PENDING");
    assertNotApproved(await sendMade(api), "pending");

    const rejected = await review(api, "REJECTED", "REJECTED", "INVALID_FORMAT");
    assert.equal(rejected.rejected_reason, "INVALID_FORMAT");
    assertNotApproved(await sendMade(api), "rejected");

    const approved = await review(api, "APPROVED", "APPROVED");
    assert.equal("rejected_reason" in approved, false);
    const components = await http.get("/notify/template/components", {
      query: { access_key: key.key, template: NAME },
    });
    assert.deepEqual(components.body.components, Object.keys(VALUES));

    await whileDispatching(api, async () => {
      const first = await sendMade(api);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      await eventually(async () =>
        assert.equal((await campaign(api, first.body.inquiry_set_id)).status, "completed")
      );
    });
    const [text] = await seen(api);
    assert.match(text!, /Hello Asha, your order A-17 is on its way\./);
    assert.match(text!, /https:\/\/example\.com\/orders\/a17/);

    const queued = (await sendMade(api)).body.inquiry_set_id as string;
    const paused = await review(api, "PAUSED", "DISABLED");
    assert.equal(paused.rejected_reason, "FIRST_PAUSE");
    assertNotApproved(await sendMade(api), "disabled");
    await whileDispatching(api, async () => {
      const held = await eventually(async () => {
        const status = await campaign(api, queued);
        assert.equal(status.status, "paused");
        return status;
      });
      assert.match(
        held.paused_detail,
        /^The template order_on_its_way is disabled, not approved: FIRST_PAUSE$/,
      );
      assert.deepEqual([held.paused_reason, held.pending, held.failed], ["template_not_approved", 1, 0]);
      const recipients = await http.get(`/manage/companies/mine/campaigns/${queued}/recipients`, {
        query: { access_key: key.key },
      });
      const [recipient] = recipients.body.recipients;
      assert.deepEqual([recipient.status, recipient.attempts, recipient.reason], [
        "queued",
        0,
        held.paused_detail,
      ]);
      assert.equal((await sandbox.messages()).length, 1);

      await review(api, "APPROVED", "APPROVED");
      await eventually(async () => assert.equal((await campaign(api, queued)).status, "completed"));
    });

    const messages = await sandbox.messages();
    assert.equal(messages.length, 2);
    assert.equal("paused_reason" in await campaign(api, queued), false);
    const changes = (await readEvents(api.sql, api.company.id))
      .filter(({ type }) => type === "template.status_changed")
      .map(({ payload }) => `${payload.data.previous_status} → ${payload.data.status}`);
    assert.deepEqual(changes, [
      "pending → rejected",
      "rejected → approved",
      "approved → disabled",
      "disabled → approved",
    ]);
  }));

Deno.test("a template whose pause at the platform has not reached us yet costs its messages nothing", () =>
  withApi(async (api) => {
    const { sandbox } = api;
    await sandbox.configure({ webhooks: false });
    const template = (await sandbox.templates()).find(({ name }) => name === api.template.name);
    await sandbox.setTemplate(template!.id, "PAUSED");
    const { body: { inquiry_set_id: id } } = await api.notify();

    await whileDispatching(api, async () => {
      await eventually(async () => assert.equal((await campaign(api, id)).status, "paused"));
      assert.match((await campaign(api, id)).paused_detail, /paused because of its low quality/);

      await sandbox.setTemplate(template!.id, "APPROVED");
      await api
        .sql`update outbound.senders set template_sync_requested = true, template_sync_taken_at = null`;
      await syncDueAccounts(api.services);
      await eventually(async () => assert.equal((await campaign(api, id)).status, "completed"));
    });

    assert.equal((await sandbox.messages()).length, 1);
  }));

Deno.test("a scheduled notification whose template needs other values at its time fails, and is not sent", () =>
  withApi(async (api) => {
    const [same, changed] = [await api.notify(), await api.notify()];
    const reword = (text: string) =>
      api.sql`update outbound.templates
        set components = jsonb_build_array(jsonb_build_object('type', 'BODY', 'text', ${text}::text))
        where id = ${api.template.id}`;
    await api.sql`update outbound.queue set is_scheduled = true, run_at = now() + interval '1 hour'`;
    const due = async (id: string) => {
      await api.sql`update outbound.queue set run_at = now() where campaign_id = ${id}`;
      await planTurns(api.sql);
    };

    await reword("Dear {{1}}, the order {{2}} waits for you.");
    await due(same.body.inquiry_set_id);
    await api.dispatch();
    await reword("Dear {{1}}, your order waits for you.");
    await due(changed.body.inquiry_set_id);
    await api.dispatch();

    const path = `/manage/companies/mine/campaigns/${changed.body.inquiry_set_id}/recipients`;
    const failed = await api.http.get(path, { query: { access_key: api.key.key } });
    const [recipient] = failed.body.recipients;
    assert.deepEqual([recipient.status, recipient.code], ["failed", "template_changed"]);
    assert.match(recipient.reason, /was changed after the request was accepted/);
    assert.equal((await api.sandbox.messages()).length, 1);
    assert.equal((await campaign(api, same.body.inquiry_set_id)).failed, 0);
  }));

/** The most templates that the platform allows per account. */
const MAX_TEMPLATES = 6000;

Deno.test("6,000 templates: one sync reads them page by page, and requests never ask the platform", () =>
  withApi(async (api) => {
    const { http, key, sandbox, services, sql } = api;
    const sender = await insertSender(sql, api.company.id);
    const templates = Array.from({ length: MAX_TEMPLATES }, (_, index) => ({
      name: `template_${index}`,
      language: "en",
      category: "UTILITY",
      status: "APPROVED",
      components: [{
        type: "BODY",
        text: `Hello {{1}}, this is text ${index}.`,
        example: { body_text: [["Asha"]] },
      }],
    }));
    await sandbox.addAccount(sender, templates);
    const [account] = await sql<TemplateAccount[]>`
      select company_id, waba_id, id as sender_id, token_sealed
      from outbound.senders where id = ${sender.id}`;
    const whatsapp = {
      apiUrl: services.env.WHATSAPP_API_URL,
      apiVersion: services.env.WHATSAPP_API_VERSION,
    };
    const sync = () => syncAccount({ sql, sealer: services.sealer, whatsapp }, account!);
    const requests = async () => (await sandbox.stats()).requests as number;

    const before = await requests();
    const started = performance.now();
    const first = await sync();
    const firstMs = performance.now() - started;
    const pages = await requests() - before;
    const again = await sync();
    const againMs = performance.now() - started - firstMs;

    assert.deepEqual(first, { wabaId: sender.waba_id, templates: 6000, changed: 6000, error: null });
    assert.deepEqual([again.changed, pages], [0, 60]);
    const asked = await requests();
    const listing = performance.now();
    const list = await http.get<JsonObject[]>("/notify/templates", {
      query: { access_key: key.key, phone_number: sender.number },
    });
    const listMs = performance.now() - listing;
    const sent = await api.notify({
      recipient_id: sender.number,
      name_template: "template_4711",
      components_push: { body_text_0: "Asha" },
    });
    assert.deepEqual([list.body.length, sent.status], [6000, 200]);
    assert.equal(await requests(), asked, "a request asked the platform");
    const figures = [["first sync", firstMs], ["second", againMs], ["list", listMs]] as const;
    // deno-lint-ignore no-console -- a figure for people
    console.log(figures.map(([what, ms]) => `${what} ${(ms / 1000).toFixed(1)} s`).join(", "));
  }));

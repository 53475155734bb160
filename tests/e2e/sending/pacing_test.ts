import assert from "node:assert/strict";
import { updateSender } from "../../../cli/sender/actions.ts";
import { resumeSender } from "../../setup/fixtures/resume_sender.ts";
import { createSealer } from "../../../supabase/functions/_shared/crypto/seal.ts";
import {
  applyWaitingAccountEvents,
  applyWaitingTemplateEvents,
} from "../../../supabase/functions/_shared/dispatching/apply_events.ts";
import {
  applyPlatformEvents,
  storePlatformEvents,
} from "../../../supabase/functions/_shared/db/queue/platform_events.ts";
import { eventually } from "../../setup/eventually.ts";
import { TEST_SECRETS_KEY } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { createTemplate } from "../templates/create_template.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { type Api, withApi } from "../with_api.ts";

const sealer = createSealer(TEST_SECRETS_KEY);

const recipients = async (api: Api, campaign_id: string, more: JsonObject = {}): Promise<JsonObject[]> => {
  const query = { access_key: api.key.key, ...more };
  const path = `/manage/companies/mine/campaigns/${campaign_id}/recipients`;
  return (await api.http.get(path, { query })).body.recipients;
};

/** Applies everything that the platform has reported until now. */
async function applyEvents(api: Api): Promise<void> {
  while (await applyPlatformEvents(api.sql, 1000) > 0);
  await applyWaitingTemplateEvents(api.dispatcherServices);
  await applyWaitingAccountEvents(api.dispatcherServices);
}

const people = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ number: `346001${10_000 + from + index}`, name: "Asha" }));

/** Sends a campaign to so many people, and has the platform report the failure of each with this code. */
async function sendDropped(api: Api, code: number, count: number, from = 0): Promise<string> {
  await api.sandbox.addFault({ fault: { webhook_error: code, held_for_quality: true }, times: count });
  const { body } = await api.notify({ contact: undefined, contacts: people(count, from) });
  await api.dispatch();
  await eventually(async () => {
    await applyEvents(api);
    assert.equal((await recipients(api, body.inquiry_set_id, { status: "failed" })).length, count);
  });
  return body.inquiry_set_id;
}

Deno.test("a message that the platform holds for quality is sent, shown as held, and released by the platform's report", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    await api.sandbox.configure({ sent_ms: 3_600_000, delivered_ms: 3_600_000, read_ms: 3_600_000 });
    await api.sandbox.addFault({ fault: "held_for_quality", times: 1 });
    const { body } = await api.notify({ contact: undefined, contacts: people(2) });
    const id = body.inquiry_set_id;
    await api.dispatch();

    const held = await recipients(api, id, { held_for_quality: "true" });
    assert.equal(held.length, 1);
    assert.deepEqual([held[0]!.status, held[0]!.held_for_quality], ["sent", true]);
    assert.match(held[0]!.reason, /holds it/);
    assert.equal((await recipients(api, id)).filter(({ held_for_quality }) => held_for_quality).length, 1);
    const reported = (await readEvents(api.sql, api.company.id)).filter(({ type }) =>
      type === "notification.sent"
    );
    assert.deepEqual(reported.map(({ payload }) => payload.data.held_for_quality ?? false).sort(), [
      false,
      true,
    ]);

    const [message] = await api.sandbox.messages({ to: held[0]!.number });
    const [company_id, notification_id, fence] = message!.biz_opaque_callback_data.split(":");
    await storePlatformEvents(api.sql, [{
      dedupe_key: `whatsapp:${message!.id}:sent`,
      channel: "whatsapp",
      waba_id: api.sender.waba_id,
      phone_number_id: api.sender.platform_id,
      platform_message_id: message!.id,
      company_id,
      notification_id,
      fence: Number(fence),
      status: "sent",
      occurred_at: new Date().toISOString(),
      error_code: null,
      retryable: false,
      reason: null,
    }]);
    await applyEvents(api);
    assert.deepEqual(await recipients(api, id, { held_for_quality: "true" }), []);
  }));

Deno.test("a burst of messages dropped for the template's quality stops the template until it is approved again", () =>
  withApi(async (api) => {
    const query = { access_key: api.key.key, phone_number: api.sender.number };
    const listed = async () => (await api.http.get<JsonObject[]>("/notify/templates", { query })).body[0]!;
    await sendDropped(api, 132015, 4);
    assert.equal((await listed()).status, "APPROVED", "four are no burst");
    await sendDropped(api, 132015, 1, 4);

    await eventually(async () => {
      await applyEvents(api);
      const refused = await api.notify();
      assert.deepEqual([refused.status, refused.body.details?.current_status], [422, "disabled"]);
    });
    assert.match((await listed()).rejected_reason, /132015/);

    const { id } = (await api.sandbox.templates()).find(({ name }) => name === api.template.name)!;
    await api.sandbox.setTemplate(id, "PAUSED");
    await api.sandbox.setTemplate(id, "APPROVED");
    await eventually(async () => {
      await applyEvents(api);
      assert.equal((await api.notify()).status, 200);
    });
  }));

Deno.test("messages that arrive in between make no burst", () =>
  withApi(async (api) => {
    for (let round = 0; round < 3; round++) {
      await sendDropped(api, 132015, 3, round * 10);
      const { body } = await api.notify({ contact: { number: `3460012${1000 + round}`, name: "Ana" } });
      await api.dispatch();
      await eventually(async () => {
        await applyEvents(api);
        assert.ok((await api.status(body.inquiry_set_id)).delivered === 1);
      });
    }
    assert.equal((await api.notify()).status, 200);
  }));

Deno.test("a burst of 135000 stops the account's senders until the platform or an operator frees them", () =>
  withApi(async (api) => {
    await sendDropped(api, 135000, 5);

    const waiting = await api.notify();
    assert.equal(waiting.status, 200);
    await eventually(async () => {
      await applyEvents(api);
      const stopped = await api.status(waiting.body.inquiry_set_id);
      assert.deepEqual([stopped.status, stopped.paused_reason], ["paused", "sender_stopped"]);
      assert.match(stopped.paused_detail, /135000/);
    });

    await resumeSender(api.sql, api.sender);
    await applyEvents(api);
    await api.dispatch();
    assert.equal((await api.status(waiting.body.inquiry_set_id)).sent, 1);
  }));

Deno.test("marketing templates of a sender go by the marketing endpoint if it is set to that, and others do not", () =>
  withApi(async (api) => {
    await updateSender({ sql: api.sql, sealer }, {
      senderId: api.sender.id,
      marketingEndpoint: "marketing_messages",
    });
    const name_template = "new_things";
    const components_template = { BODY: { text: "Look at what is new in our shop." } };
    const made = await createTemplate(api, {
      name_template,
      category_template: "MARKETING",
      components_template,
    });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const [row] = await api.sql`
      select platform_template_id as id from outbound.templates where company_id = ${api.company.id} and name = ${name_template}`;
    await api.sandbox.setTemplate(row!.id, "APPROVED");
    await eventually(async () => {
      await applyEvents(api);
      assert.equal(
        (await api.notify({ name_template, language_template: "en_US", components_push: undefined })).status,
        200,
      );
    });
    await api.notify({ notification_type: "marketing" });
    await api.dispatch();

    const messages = await api.sandbox.messages();
    const edges = messages.map(({ template, edge }) => [template.category, edge]).sort();
    assert.deepEqual(edges, [["MARKETING", "marketing_messages"], ["UTILITY", "messages"]]);
  }));

import assert from "node:assert/strict";
import { chatChannel } from "../../../supabase/functions/_shared/campaigns/chat.ts";
import { planCampaign } from "../../../supabase/functions/_shared/campaigns/plan_campaign.ts";
import type { SendContext } from "../../../supabase/functions/_shared/db/queue/send_context.ts";
import { chatInput, NOW, sendContext } from "./campaign_facts.ts";

const facts = (changes: Partial<SendContext> = {}) => ({
  context: sendContext(changes),
  now: NOW,
  ttlS: 3600,
  recipientVerdicts: new Map(),
});

Deno.test("planCampaign() returns the campaign to store and the response to it", () => {
  const idempotent = { endpoint: "notify", key: "k", requestHash: "h" };

  const plan = planCampaign(
    chatChannel,
    chatInput({ datetime_sending: "2026-05-06T09:00:00" }, idempotent),
    facts(),
  );

  assert.ok(plan.kind === "planned");
  const { campaign, notifications, idempotency, ...rest } = plan.campaign;
  assert.deepEqual(rest, { key_hash: "hash", permission: "chatapp_notifications", ttl_s: 3600 });
  assert.deepEqual(
    [campaign.channel, campaign.name, campaign.template_shape, campaign.scheduled_time],
    ["whatsapp", "Orders", "shape-1", "2026-05-06T09:00:00.000Z"],
  );
  assert.deepEqual(notifications.map(({ number }) => number), ["34600111222"]);
  assert.deepEqual(plan.draft.response, {
    success: true,
    message: "Notification scheduled",
    inquiry_set_id: campaign.id,
    scheduled_time: "2026-05-06T09:00:00Z",
  });
  assert.deepEqual(idempotency, {
    endpoint: "notify",
    key: "k",
    request_hash: "h",
    answer: plan.draft.response,
  });
});

Deno.test("planCampaign() counts contacts of a bulk request that cannot be served", () => {
  const contacts = [{ number: "34600111222" }, { number: "+34" }];

  const plan = planCampaign(chatChannel, chatInput({ contact: null, contacts }), facts());

  assert.ok(plan.kind === "planned");
  const { total, processed, failed, errors } = plan.draft.response as Record<string, unknown[]>;
  assert.deepEqual([total, processed, failed, plan.campaign.campaign.rejected], [2, 1, 1, 1]);
  assert.deepEqual((errors as { contact: unknown }[]).map(({ contact }) => contact), [{ number: "+34" }]);
});

/** In the order in which they are checked: each case has the faults of all later ones too. */
const REFUSALS: [code: string, facts: Partial<SendContext>, body?: Record<string, unknown>][] = [
  ["unauthorized", { outcome: "unauthorized" }],
  ["api_access_off", { api_access: false }],
  ["permission_missing", { permissions: [] }],
  ["rate_limit_exceeded", { outcome: "rate_limited" }],
  ["validation_failed", { sender_id: null }],
  ["template_not_found", { templates: [] }],
  ["variable_mismatch", {}, { components_push: { body_text_0: "x" } }],
  ["validation_failed", {}, { datetime_sending: "2020-01-01T00:00:00" }],
  ["sender_locked", { sender_locked: "banned" }],
];

Deno.test("planCampaign() returns the first refusal, in the order of the checks", () => {
  for (const [index, [code]] of REFUSALS.entries()) {
    const later = REFUSALS.slice(index);
    const changes = Object.assign({}, ...later.map(([, changes]) => changes).reverse());
    const body = Object.assign({}, ...later.map(([, , body]) => body).reverse());

    const plan = planCampaign(chatChannel, chatInput(body), facts(changes));

    assert.deepEqual(plan.kind === "refused" && plan.refusal.code, code);
  }
});

Deno.test("planCampaign() throws a programming error", () => {
  const broken = {
    ...chatChannel,
    plan() {
      throw new TypeError("a programming error");
    },
  };

  assert.throws(() => planCampaign(broken, chatInput(), facts()), TypeError);
});

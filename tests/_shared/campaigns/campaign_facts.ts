import { chatChannel } from "../../../supabase/functions/_shared/campaigns/chat.ts";
import type { ChatRequest } from "../../../supabase/functions/_shared/campaigns/chat_request.ts";
import { pickContacts } from "../../../supabase/functions/_shared/campaigns/notification_request.ts";
import type { CampaignInput } from "../../../supabase/functions/_shared/campaigns/plan_campaign.ts";
import type { SendContext } from "../../../supabase/functions/_shared/db/queue/send_context.ts";

export const NOW = new Date("2026-05-06T07:08:09Z");

/** A good key, a working sender and an approved template without variables; `changes` replace fields. */
export function sendContext(changes: Partial<SendContext> = {}): SendContext {
  return {
    outcome: "ok",
    company_id: "11111111-1111-4111-8111-111111111111",
    api_key_id: "22222222-2222-4222-8222-222222222222",
    permissions: [chatChannel.permission],
    api_access: true,
    rate_limit: 600,
    remaining: 599,
    reset_s: 30,
    sender_id: "33333333-3333-4333-8333-333333333333",
    sender_number: "34911222333",
    sender_locked: null,
    ...{ sender_stopped: null, sender_stopped_until: null, outage_since: null, outage_until: null },
    ...{ sender_limit: null, sender_quality: null },
    ...{ sending_hours: null, frequency_caps: null, marketing_cooldown: false, call_gap_s: 60 },
    agent: null,
    erasure_key_sealed: null,
    has_flow_webhook: false,
    learns_contacts: false,
    ...{ sender_ids: null, key_hash: "hash", key_until: null },
    templates: [{
      id: "44444444-4444-4444-8444-444444444444",
      language: "en",
      category: "UTILITY",
      status: "approved",
      shape: "shape-1",
      parameter_format: "POSITIONAL",
      components: [{ type: "BODY", text: "Your order has left." }],
    }],
    ...changes,
  };
}

/** A chat request for one contact, as it was read; `changes` replace fields of its body. */
export function chatInput(
  changes: Record<string, unknown> = {},
  idempotent: CampaignInput<ChatRequest>["idempotent"] = null,
): CampaignInput<ChatRequest> {
  const root = {
    recipient_id: "34911222333",
    notification_type: "utility",
    campaign_name: "Orders",
    name_template: "order_update",
    language_template: "en",
    contact: { number: "34600111222" },
    ...changes,
  };
  return {
    keyHash: "hash",
    campaignId: null,
    more: false,
    request: chatChannel.read({ root, ...pickContacts(root, { flat: false }) }),
    idempotent,
  };
}

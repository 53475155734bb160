import type { z } from "@hono/zod-openapi";
import { type Actor, writeAuditOnce } from "../db/access/audit.ts";
import { chatChannel, singleResponseSchema } from "./chat.ts";
import { chatFieldsSchema, type ChatRequest } from "./chat_request.ts";
import { contactSchema, pickContacts } from "./notification_request.ts";
import type { CampaignInput } from "./plan_campaign.ts";
import { type CampaignServices, queueCampaign } from "./queue_campaign.ts";
import { requireQueued } from "./queue_result.ts";

/** The fields of a template to one person, in a campaign that is called `name` unless the request names it. */
export function singleMessageFields(name: string) {
  const { shape } = chatFieldsSchema;
  return {
    contact: contactSchema.openapi({
      description: "The person: `number` or `user_id`, and fields for the template",
    }),
    recipient_id: shape.recipient_id,
    name_template: shape.name_template,
    language_template: shape.language_template,
    notification_type: shape.notification_type,
    components_push: shape.components_push,
    campaign_name: shape.campaign_name.default(name),
  };
}

/** Reads a template to one person. Throws `validation_failed`. */
export function readSingleMessage(
  root: Record<string, unknown>,
  keyHash: string,
): Omit<CampaignInput<ChatRequest>, "idempotent"> {
  const request = chatChannel.read({ root, ...pickContacts(root, { flat: false }) });
  return { keyHash, request, campaignId: null, more: false };
}

/**
 * Queues a template to one person, and records it in the audit as `action`. Throws the refusal, or the failure of the
 * database.
 */
export async function queueSingleMessage(
  services: CampaignServices,
  { companyId, by }: { companyId: string; by: Actor },
  { action, ...input }: CampaignInput<ChatRequest> & { action: string },
): Promise<z.infer<typeof singleResponseSchema>> {
  const queued = requireQueued(await queueCampaign(services, chatChannel, input));
  const response = singleResponseSchema.parse(queued.response);
  // A first attempt that was stored and then interrupted is recorded by the repetition.
  await writeAuditOnce(services.sql, companyId, {
    ...by,
    id: response.inquiry_set_id,
    action,
    subject: response.inquiry_set_id,
    after: { template: input.request.names.templateName },
  });
  return response;
}

import { z } from "@hono/zod-openapi";
import type { ChatRequest } from "../_shared/notifications/chat_request.ts";
import type { PreparedBatch } from "../_shared/notifications/prepare_chat.ts";
import { utcSeconds } from "../_shared/scheduling/utc_seconds.ts";

const singleAnswerSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  inquiry_set_id: z.uuid().openapi({
    description: "The campaign; GET /notify/status takes it as campaign_id",
  }),
  scheduled_time: z.iso.datetime().optional(),
}).openapi("NotificationAccepted");

const bulkAnswerSchema = z.object({
  success: z.literal(true),
  message: z.literal("Processing completed"),
  total: z.number().int(),
  processed: z.number().int(),
  failed: z.number().int(),
  errors: z.array(z.object({ contact: z.unknown(), reason: z.string() })),
  inquiry_set_id: z.uuid(),
  scheduled_time: z.iso.datetime().optional(),
}).openapi("BulkAccepted");

/** What `POST /notify` answers once the notifications are stored. */
export const answerSchema = z.union([singleAnswerSchema, bulkAnswerSchema]);

/** The answer to a request; `due` is null when its notifications are to be sent at once. */
export function answerFor(
  request: ChatRequest,
  batch: PreparedBatch,
  campaignId: string,
  due: Date | null,
): z.infer<typeof answerSchema> {
  const campaign = { inquiry_set_id: campaignId, ...(due && { scheduled_time: utcSeconds(due) }) };
  if (!request.bulk) {
    return { success: true, message: due ? "Notification scheduled" : "Notification queued", ...campaign };
  }
  return {
    success: true,
    message: "Processing completed",
    total: request.contacts.length,
    processed: batch.notifications.length,
    failed: batch.failures.length,
    errors: batch.failures,
    ...campaign,
  };
}

import { z } from "@hono/zod-openapi";
import {
  type AcceptedCampaign,
  bulkAnswer,
  bulkAnswerSchema,
  campaignAnswer,
} from "../_shared/notifications/bulk_answer.ts";
import type { ChatRequest } from "../_shared/notifications/chat_request.ts";
import { utcSeconds } from "../_shared/scheduling/utc_seconds.ts";

const singleAnswerSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  ...campaignAnswer,
  scheduled_time: z.iso.datetime().optional(),
}).openapi("NotificationAccepted");

/** What `POST /notify` answers once the notifications are stored. */
export const answerSchema = z.union([singleAnswerSchema, bulkAnswerSchema]);

export function answerFor(request: ChatRequest, accepted: AcceptedCampaign): z.infer<typeof answerSchema> {
  if (request.bulk) return bulkAnswer(accepted);
  const { id, due } = accepted;
  return {
    success: true,
    message: due ? "Notification scheduled" : "Notification queued",
    inquiry_set_id: id,
    ...(due && { scheduled_time: utcSeconds(due) }),
  };
}

import { z } from "@hono/zod-openapi";
import {
  type AcceptedCampaign,
  bulkAnswer,
  bulkAnswerSchema,
  campaignAnswer,
} from "../_shared/notifications/bulk_answer.ts";
import type { VoiceRequest } from "../_shared/notifications/voice_request.ts";
import { utcSeconds } from "../_shared/scheduling/utc_seconds.ts";

const singleAnswerSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  notification_id: z.uuid(),
  scheduled_time: z.iso.datetime().openapi({
    description: "When the call is due; now, when no time was asked for",
  }),
  ...campaignAnswer,
}).openapi("CallAccepted");

/** What `POST /notify/voice` answers once the calls are stored. */
export const answerSchema = z.union([singleAnswerSchema, bulkAnswerSchema]);

export function answerFor(
  request: VoiceRequest,
  accepted: AcceptedCampaign,
  now: Date,
): z.infer<typeof answerSchema> {
  if (request.bulk) return bulkAnswer(accepted);
  const { id, batch, due } = accepted;
  return {
    success: true,
    message: due ? "Call scheduled" : "Call queued",
    notification_id: batch.notifications[0]!.id,
    scheduled_time: utcSeconds(due ?? now),
    inquiry_set_id: id,
  };
}

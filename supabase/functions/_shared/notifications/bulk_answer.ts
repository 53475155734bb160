import { z } from "@hono/zod-openapi";
import { utcSeconds } from "../scheduling/utc_seconds.ts";
import type { PreparedBatch } from "./prepare_batch.ts";

/** What the answer to a request tells about its campaign. */
export const campaignAnswer = {
  inquiry_set_id: z.uuid().openapi({
    description: "The campaign; GET /notify/status takes it as campaign_id",
  }),
};

/** The answer to a request with `contacts`, the same on every channel. */
export const bulkAnswerSchema = z.object({
  success: z.literal(true),
  message: z.literal("Processing completed"),
  total: z.number().int(),
  processed: z.number().int(),
  failed: z.number().int(),
  errors: z.array(z.object({ contact: z.unknown(), reason: z.string() })),
  ...campaignAnswer,
  scheduled_time: z.iso.datetime().optional(),
}).openapi("BulkAccepted");

/** A campaign that is about to be stored, as its answer tells of it. */
export interface AcceptedCampaign {
  id: string;
  batch: PreparedBatch;
  /** Null when it is to be sent at once. */
  due: Date | null;
}

export function bulkAnswer({ id, batch, due }: AcceptedCampaign): z.infer<typeof bulkAnswerSchema> {
  return {
    success: true,
    message: "Processing completed",
    total: batch.notifications.length + batch.failures.length,
    processed: batch.notifications.length,
    failed: batch.failures.length,
    errors: batch.failures,
    inquiry_set_id: id,
    ...(due && { scheduled_time: utcSeconds(due) }),
  };
}

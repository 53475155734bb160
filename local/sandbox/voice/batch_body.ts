import { z } from "zod";
import { clientDataSchema, telephonySchema } from "./outbound_body.ts";

const MAX_RECIPIENTS = 10_000;

/** The body of `POST /v1/convai/batch-calling/submit`. As on the platform, fields it does not name are let pass. */
export const batchBodySchema = z.looseObject({
  call_name: z.string(),
  agent_id: z.string(),
  agent_phone_number_id: z.string(),
  recipients: z.array(z.looseObject({
    id: z.string().nullish(),
    phone_number: z.string(),
    conversation_initiation_client_data: clientDataSchema.nullish(),
  })).min(1).max(MAX_RECIPIENTS),
  scheduled_time_unix: z.number().int().nullish(),
  timezone: z.string().nullish(),
  telephony_call_config: telephonySchema.nullish(),
  target_concurrency_limit: z.number().int().min(1).nullish(),
});

export type BatchBody = z.infer<typeof batchBodySchema>;

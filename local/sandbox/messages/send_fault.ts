import { z } from "zod";

const always = z.literal(true);

/** Faults on the response to a send. */
const responseFault = {
  /** Refuse with this error before the message is accepted. */
  code: z.number().int().optional(),
  status: z.number().int().min(400).max(599).optional(),
  /** Respond this late; the message is accepted at once. */
  latency_ms: z.number().int().min(0).max(600_000).optional(),
  /** Accept the message, never respond. */
  hang: always.optional(),
  /** Accept the message, then close the socket. */
  drop: always.optional(),
  /** Close the socket without accepting the message. */
  drop_before: always.optional(),
  /** Respond with this status and `body`; `accepted` says whether the message is accepted. */
  http: z.number().int().min(200).max(599).optional(),
  body: z.string().max(100_000).optional(),
  accepted: z.boolean().optional(),
  /** Accept a template, but say that it is held until its template's quality is known. */
  held_for_quality: always.optional(),
  /** Accept the message, respond 200 with a body that is not JSON. */
  invalid_json: always.optional(),
};

/** Faults on the webhooks. */
const webhookFault = {
  /** Report each status twice. */
  duplicate: always.optional(),
  /** Report read first, then delivered, then sent. */
  reorder: always.optional(),
  read_without_delivered: always.optional(),
  /** `wa_id` of the response and `recipient_id` of the webhooks are empty. */
  empty_wa_id: always.optional(),
  /** The message fails later, with this code. */
  webhook_error: z.number().int().optional(),
  /** Report nothing. */
  lose: always.optional(),
  /** Report the first status before the response to the send. */
  early_webhook: always.optional(),
  /** Leave `biz_opaque_callback_data` out. */
  no_echo: always.optional(),
};

const faultObject = z.strictObject({ ...responseFault, ...webhookFault })
  .refine((fault) => Object.keys(fault).length > 0, "name at least one fault");

/** Faults without a value may be written as a bare name: `"hang"` is `{"hang": true}`. */
const faultName = z.enum([
  "hang",
  "drop",
  "drop_before",
  "invalid_json",
  "held_for_quality",
  "duplicate",
  "reorder",
  "read_without_delivered",
  "empty_wa_id",
  "lose",
  "early_webhook",
  "no_echo",
]).transform((name): Fault => ({ [name]: true }));

/** The body of `POST /sandbox/faults`. */
export const faultRuleSchema = z.strictObject({
  match: z.strictObject({
    to: z.string().optional(),
    phone_number_id: z.string().optional(),
    template: z.string().optional(),
    /** `MARKETING`, `UTILITY` or `AUTHENTICATION`. */
    category: z.string().optional(),
    /** `template`, `text`, `image` … */
    type: z.string().optional(),
  }).default({}),
  /** Probability that the fault applies to a matching send. */
  probability: z.number().min(0).max(1).default(1),
  /** The rule ends after this many hits. Absent = never. */
  times: z.number().int().min(1).optional(),
  fault: z.union([faultObject, faultName]),
});

export type Fault = z.infer<typeof faultObject>;
export type FaultRule = z.infer<typeof faultRuleSchema>;
export type WebhookFault = Pick<Fault, keyof typeof webhookFault>;

import { z } from "zod";

const always = z.literal(true);

/** The forms of an error body; `none` is a response without a body. */
const ERROR_FORMS = ["current", "older", "list", "text", "none"] as const;

/** Requests that a fault can apply to. */
export const ROUTES = ["outbound-call", "conversations", "phone-numbers", "agents"] as const;

/** The outcomes of a call. */
export const outcomeSchema = z.enum(["answered", "voicemail", "busy", "no_answer", "failed"]);

const voiceFaultObject = z.strictObject({
  /** Refuse with this status. `accepted` makes the call nevertheless. */
  http: z.number().int().min(200).max(599).optional(),
  form: z.enum(ERROR_FORMS).optional(),
  code: z.string().optional(),
  /** Sent as it is, in place of a form. */
  body: z.string().max(100_000).optional(),
  /** Value of `Retry-After`, seconds. */
  retry_after: z.number().int().min(0).optional(),
  /** Respond 200 with `success: false`. */
  success_false: always.optional(),
  accepted: z.boolean().optional(),
  /** Respond this late; the call is made at once. */
  latency_ms: z.number().int().min(0).max(600_000).optional(),
  /** Make the call, never respond. */
  hang: always.optional(),
  /** Make the call, then close the socket. */
  drop: always.optional(),
  /** Close the socket without making the call. */
  drop_before: always.optional(),
  /** Make the call, respond 200 with half a body. */
  invalid_json: always.optional(),
  /** Make the call, respond with ids that are null. */
  null_ids: always.optional(),
  /** The outcome of the call. */
  outcome: outcomeSchema.optional(),
  /** Report each event twice. */
  duplicate: always.optional(),
  /** Report the last event first. */
  reorder: always.optional(),
  /** Report nothing. */
  lose: always.optional(),
  /** Report each event this much later. */
  delay_ms: z.number().int().min(0).max(600_000).optional(),
  /** The whole call happens and is reported before the response. */
  early_webhook: always.optional(),
  /** Webhooks leave `user_id` and the variables out. */
  no_echo: always.optional(),
}).refine((fault) => Object.keys(fault).length > 0, "name at least one fault");

/** Faults without a value may be written as a bare name: `"hang"` is `{"hang": true}`. */
const voiceFaultName = z.enum([
  "success_false",
  "hang",
  "drop",
  "drop_before",
  "invalid_json",
  "null_ids",
  "duplicate",
  "reorder",
  "lose",
  "early_webhook",
  "no_echo",
]).transform((name): VoiceFault => ({ [name]: true }));

/** The body of `POST /sandbox/voice/faults`. */
export const voiceFaultRuleSchema = z.strictObject({
  match: z.strictObject({
    /** Reads can be refused, delayed or left without a response; all other faults are for calls. */
    route: z.enum(ROUTES).default("outbound-call"),
    to: z.string().optional(),
    agent_id: z.string().optional(),
    phone_number_id: z.string().optional(),
  }).prefault({}),
  /** Probability that the fault applies to a matching call. */
  probability: z.number().min(0).max(1).default(1),
  /** The rule ends after this many hits. Absent = never. */
  times: z.number().int().min(1).optional(),
  fault: z.union([voiceFaultObject, voiceFaultName]),
});

export type VoiceFault = z.infer<typeof voiceFaultObject>;

import { z } from "zod";

const always = z.literal(true);

/** The forms an error body can have; `none` is an answer without a body. */
export const ERROR_FORMS = ["current", "older", "list", "text", "none"] as const;

/** Requests a fault can strike. */
export const ROUTES = ["outbound-call", "conversations", "phone-numbers", "agents"] as const;

/** What a call can be made to end as. */
export const outcomeSchema = z.enum(["answered", "voicemail", "busy", "no_answer", "failed"]);

const voiceFaultObject = z.strictObject({
  /** Refuse with this status. `accepted` makes the call all the same. */
  http: z.number().int().min(200).max(599).optional(),
  form: z.enum(ERROR_FORMS).optional(),
  code: z.string().optional(),
  /** Sent as it is, in place of a form. */
  body: z.string().max(100_000).optional(),
  /** Value of `Retry-After`, seconds. */
  retry_after: z.number().int().min(0).optional(),
  /** Answer 200 with `success: false`. */
  success_false: always.optional(),
  accepted: z.boolean().optional(),
  /** Answer this late; the call is made at once. */
  latency_ms: z.number().int().min(0).max(600_000).optional(),
  /** Make the call, never answer. */
  hang: always.optional(),
  /** Make the call, then close the socket. */
  drop: always.optional(),
  /** Close the socket without making the call. */
  drop_before: always.optional(),
  /** Make the call, answer 200 with half a body. */
  invalid_json: always.optional(),
  /** Make the call, answer with ids that are null. */
  null_ids: always.optional(),
  /** How the call ends. */
  outcome: outcomeSchema.optional(),
  /** Tell each event twice. */
  duplicate: always.optional(),
  /** Tell what belongs first last. */
  reorder: always.optional(),
  /** Tell nothing. */
  lose: always.optional(),
  /** Tell each event this much later. */
  delay_ms: z.number().int().min(0).max(600_000).optional(),
  /** The whole call happens, and is told, before it is answered. */
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

/** What `POST /sandbox/voice/faults` takes. */
export const voiceFaultRuleSchema = z.strictObject({
  match: z.strictObject({
    /** Reads can be refused, answered late or not at all; all else is for calls. */
    route: z.enum(ROUTES).default("outbound-call"),
    to: z.string().optional(),
    agent_id: z.string().optional(),
    phone_number_id: z.string().optional(),
  }).prefault({}),
  /** Chance that a matching call meets the fault. */
  probability: z.number().min(0).max(1).default(1),
  /** The rule ends after this many hits. Absent = never. */
  times: z.number().int().min(1).optional(),
  fault: z.union([voiceFaultObject, voiceFaultName]),
});

export type VoiceFault = z.infer<typeof voiceFaultObject>;

import { z } from "zod";
import type { VoiceAccount, VoiceAgent, VoicePhoneNumber } from "../voice_accounts.ts";
import { type FieldIssue, VoiceError } from "../voice_error.ts";
import type { VoiceFault } from "../voice_fault.ts";

/** An outbound call that passed every check. */
export interface OutboundCall {
  account: VoiceAccount;
  agent: VoiceAgent;
  number: VoicePhoneNumber;
  body: OutboundBody;
  /** The digits of the recipient's number. */
  to: string;
  fault: VoiceFault;
}

const variable = z.union([z.string(), z.number(), z.boolean()]);

const clientDataSchema = z.looseObject({
  user_id: z.string().nullish(),
  dynamic_variables: z.record(z.string(), variable).nullish(),
  conversation_config_override: z.record(z.string(), z.unknown()).nullish(),
});

const telephonySchema = z.looseObject({
  ringing_timeout_secs: z.number().int().min(1).nullish(),
  twilio_call_recording_enabled: z.boolean().nullish(),
  twilio_machine_detection: z.looseObject({ mode: z.enum(["enable", "detect_message_end"]) }).nullish(),
});

/** The body of both outbound-call paths. Like the platform, it lets unknown fields pass. */
const outboundBodySchema = z.looseObject({
  agent_id: z.string(),
  agent_phone_number_id: z.string(),
  to_number: z.string(),
  conversation_initiation_client_data: clientDataSchema.nullish(),
  telephony_call_config: telephonySchema.nullish(),
  call_recording_enabled: z.boolean().nullish(),
});

export type OutboundBody = z.infer<typeof outboundBodySchema>;

/** The platform's messages about a value of another type. */
const EXPECTED: Readonly<Record<string, { type: string; msg: string }>> = {
  string: { type: "string_type", msg: "Input should be a valid string" },
  boolean: { type: "bool_type", msg: "Input should be a valid boolean" },
  number: { type: "float_type", msg: "Input should be a valid number" },
  int: {
    type: "int_from_float",
    msg: "Input should be a valid integer, got a number with a fractional part",
  },
  object: { type: "model_attributes_type", msg: "Input should be a valid dictionary or object" },
  record: { type: "dict_type", msg: "Input should be a valid dictionary" },
};

/** Parses the body of an outbound call; see `parseVoiceBody`. */
export function parseOutboundBody(text: string): OutboundBody {
  return parseVoiceBody(text, outboundBodySchema);
}

/** Parses a body. Throws 422 with the list of faults, 400 when it is not JSON. */
export function parseVoiceBody<T>(text: string, schema: z.ZodType<T>): T {
  const value = parseJson(text);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw VoiceError.list(result.error.issues.flatMap((issue) => toIssues(issue, value)));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw VoiceError.current(400, "malformed_json", "The request body is not valid JSON");
  }
}

function toIssues(issue: z.core.$ZodIssue, body: unknown): FieldIssue[] {
  const loc = ["body", ...issue.path.map((part) => typeof part === "number" ? part : String(part))];
  const input = valueAt(body, issue.path);
  if (input === undefined) return [{ type: "missing", loc, msg: "Field required", input: null }];
  if (issue.code === "invalid_union") {
    return ["string", "number", "boolean"].map((each) => ({
      ...EXPECTED[each]!,
      loc: [...loc, { string: "str", number: "float", boolean: "bool" }[each]!],
      input,
    }));
  }
  const expected = issue.code === "invalid_type" ? EXPECTED[issue.expected] : undefined;
  return [{ ...(expected ?? { type: "value_error", msg: issue.message }), loc, input }];
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined,
    value,
  );
}

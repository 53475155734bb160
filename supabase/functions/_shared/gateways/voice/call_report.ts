import { z } from "zod";
import { platformIdSchema } from "../platform_id.ts";
import { platformWords } from "../platform_words.ts";

/** One thing that was said. */
export interface SpokenLine {
  role: "agent" | "user";
  message: string;
  /** Seconds from the start of the call. */
  atS: number;
}

/** How a call went. The platform may tell it more than once, and late. */
export interface CallReport {
  conversationId: string;
  /** What we sent along with the call; null where the platform did not give it back. */
  reference: string | null;
  outcome: "answered" | "voicemail" | "busy" | "no_answer" | "failed";
  /** ISO 8601. */
  endedAt: string;
  /** How long people talked; null for a call nobody took. */
  durationS: number | null;
  summary: string | null;
  transcript: SpokenLine[] | null;
  /** Why it ended, or did not come about, in words for people. */
  reason: string | null;
}

/** The dynamic variable that carries our reference, besides `user_id`. */
export const REFERENCE_VARIABLE = "outbound_reference";

const LONGEST_MESSAGE = 10_000;
const MOST_LINES = 2_000;

/** Text that Postgres takes in columns and in JSON. */
const text = z.string().transform((value) =>
  value.replaceAll("\0", "").toWellFormed().slice(0, LONGEST_MESSAGE).toWellFormed()
);
const seconds = z.number().nonnegative().max(1e11);
const lenient = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

const lineSchema = z.looseObject({
  role: z.enum(["agent", "user"]),
  message: text,
  time_in_call_secs: lenient(seconds),
});

/** What went along with a call when it was started, as far as the platform gives it back. */
export const echoSchema = z.looseObject({
  user_id: lenient(text),
  conversation_initiation_client_data: lenient(z.looseObject({
    user_id: lenient(text),
    dynamic_variables: lenient(z.looseObject({ [REFERENCE_VARIABLE]: lenient(text) })),
  })),
});

/** A conversation as the platform tells it, asked for or in a webhook. Source: Agents API, get conversation. */
export const conversationSchema = echoSchema.extend({
  conversation_id: platformIdSchema,
  status: z.string(),
  transcript: lenient(z.array(z.unknown())),
  metadata: lenient(z.looseObject({
    start_time_unix_secs: lenient(seconds),
    accepted_time_unix_secs: lenient(seconds),
    call_duration_secs: lenient(seconds),
    termination_reason: lenient(text),
    error: lenient(z.looseObject({ reason: lenient(text) })),
    phone_call: lenient(z.looseObject({ call_result: lenient(z.string()) })),
  })),
  analysis: lenient(z.looseObject({ transcript_summary: lenient(text) })),
});

export type Conversation = z.infer<typeof conversationSchema>;

/** Our reference in what the platform gives back. */
export function referenceIn(echo: z.infer<typeof echoSchema>): string | null {
  const sent = echo.conversation_initiation_client_data;
  return sent?.dynamic_variables?.[REFERENCE_VARIABLE] as string | undefined ?? echo.user_id ??
    sent?.user_id ??
    null;
}

/** What a finished conversation says about its call, which was over at `toldAt`. */
export function reportOf(conversation: Conversation, toldAt: Date): CallReport {
  const { metadata, analysis } = conversation;
  const outcome = outcomeOf(conversation);
  const talked = outcome === "answered" || outcome === "voicemail";
  const duration = metadata?.call_duration_secs ?? null;
  return {
    conversationId: conversation.conversation_id,
    reference: referenceIn(conversation),
    outcome,
    endedAt: endOf(conversation, toldAt).toISOString(),
    durationS: talked && duration !== null ? Math.round(duration) : null,
    summary: analysis?.transcript_summary ?? null,
    transcript: talked ? linesOf(conversation) : null,
    reason: platformWords(metadata?.error?.reason ?? metadata?.termination_reason ?? "") || null,
  };
}

/** The length of a call counts from its being taken, as far as that is told; nothing ends after it was told of. */
function endOf({ metadata }: Conversation, toldAt: Date): Date {
  const from = metadata?.accepted_time_unix_secs || metadata?.start_time_unix_secs;
  if (!from) return toldAt;
  const end = possibleTime(from + (metadata?.call_duration_secs ?? 0), toldAt);
  return end < toldAt ? end : toldAt;
}

/** Times before 2020, or more than a day ahead of now, are nonsense; `now` stands in for them. */
export function possibleTime(unixSeconds: number, now: Date): Date {
  const at = unixSeconds * 1000;
  return at >= Date.UTC(2020, 0) && at <= now.getTime() + 24 * 60 * 60 * 1000 ? new Date(at) : now;
}

const RESULTS = ["answered", "voicemail", "busy", "no_answer", "failed"] as const;

/** A call the platform does not judge was taken when anything was said in it. */
function outcomeOf({ status, metadata, transcript }: Conversation): CallReport["outcome"] {
  const result = RESULTS.find((known) => known === metadata?.phone_call?.call_result);
  if (result !== undefined) return result;
  if (status === "failed") return "failed";
  return (metadata?.call_duration_secs ?? 0) > 0 || (transcript?.length ?? 0) > 0 ? "answered" : "no_answer";
}

function linesOf({ transcript }: Conversation): SpokenLine[] | null {
  if (!transcript) return null;
  return transcript.slice(0, MOST_LINES).flatMap((line) => {
    const { data } = lineSchema.safeParse(line);
    return data ? [{ role: data.role, message: data.message, atS: data.time_in_call_secs ?? 0 }] : [];
  });
}

import { z } from "zod";
import { platformIdSchema } from "../platform_id.ts";
import { platformWords } from "../platform_words.ts";
import type { CallReport, SpokenLine } from "./call_report.ts";
import { echoSchema, referenceIn } from "./echo.ts";
import { keptText } from "./kept_text.ts";
import { lenient } from "./lenient.ts";
import { possibleTime } from "./possible_time.ts";

const MOST_LINES = 2_000;

const seconds = z.number().nonnegative().max(1e11);

const lineSchema = z.looseObject({
  role: z.enum(["agent", "user"]),
  message: keptText,
  time_in_call_secs: lenient(seconds),
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
    termination_reason: lenient(keptText),
    error: lenient(z.looseObject({ reason: lenient(keptText) })),
    phone_call: lenient(z.looseObject({ call_result: lenient(z.string()) })),
  })),
  analysis: lenient(z.looseObject({ transcript_summary: lenient(keptText) })),
});

export type Conversation = z.infer<typeof conversationSchema>;

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

const RESULTS = ["answered", "voicemail", "busy", "no_answer", "failed"] as const;

/**
 * A call that was taken and broke off with an error (an agent without a variable it needs says nothing) has failed; one
 * that the platform does not judge was taken when anything was said in it.
 */
function outcomeOf({ status, metadata, transcript }: Conversation): CallReport["outcome"] {
  const result = RESULTS.find((known) => known === metadata?.phone_call?.call_result);
  if (status === "failed" && (result ?? "answered") === "answered") return "failed";
  if (result !== undefined) return result;
  return (metadata?.call_duration_secs ?? 0) > 0 || (transcript?.length ?? 0) > 0 ? "answered" : "no_answer";
}

function linesOf({ transcript }: Conversation): SpokenLine[] | null {
  if (!transcript) return null;
  return transcript.slice(0, MOST_LINES).flatMap((line) => {
    const { data } = lineSchema.safeParse(line);
    return data ? [{ role: data.role, message: data.message, atS: data.time_in_call_secs ?? 0 }] : [];
  });
}

import { z } from "zod";
import { platformIdSchema, platformWords } from "../platform_text.ts";
import { echoSchema, keptText, lenient, possibleTime, referenceIn } from "./fields.ts";
import { getJson, type VoiceConfig, voiceUrl } from "./client.ts";
import { readPlatformError } from "./errors.ts";

/** One utterance. */
export interface SpokenLine {
  role: "agent" | "user";
  message: string;
  /** Seconds from the start of the call. */
  at_s: number;
}

/** The result of a call. The platform may report it more than once, and late. */
export interface CallReport {
  conversationId: string;
  /** The reference that we sent with the call; null where the platform did not return it. */
  reference: string | null;
  outcome: "answered" | "voicemail" | "busy" | "no_answer" | "failed";
  /** ISO 8601. */
  endedAt: string;
  /** The length of the conversation; null for a call that was not taken. */
  durationS: number | null;
  summary: string | null;
  transcript: SpokenLine[] | null;
  /** Why it ended, or was not made, in words for people. */
  reason: string | null;
}

const MAX_LINES = 2_000;

const seconds = z.number().nonnegative().max(1e11);

const lineSchema = z.looseObject({
  role: z.enum(["agent", "user"]),
  message: keptText,
  time_in_call_secs: lenient(seconds),
});

/** A conversation as the platform reports it, in a response or in a webhook. Source: Agents API, get conversation. */
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

/** Returns the report of a finished conversation; its call had ended by `reportedAt`. */
export function reportOf(conversation: Conversation, reportedAt: Date): CallReport {
  const { metadata, analysis } = conversation;
  const outcome = outcomeOf(conversation);
  const talked = outcome === "answered" || outcome === "voicemail";
  const duration = metadata?.call_duration_secs ?? null;
  return {
    conversationId: conversation.conversation_id,
    reference: referenceIn(conversation),
    outcome,
    endedAt: endOf(conversation, reportedAt).toISOString(),
    durationS: talked && duration !== null ? Math.round(duration) : null,
    summary: analysis?.transcript_summary ?? null,
    transcript: talked ? linesOf(conversation) : null,
    reason: platformWords(metadata?.error?.reason ?? metadata?.termination_reason ?? "") || null,
  };
}

/** Adds the length of a call to the time at which it was taken. A call ends no later than it is reported. */
function endOf({ metadata }: Conversation, reportedAt: Date): Date {
  const from = metadata?.accepted_time_unix_secs || metadata?.start_time_unix_secs;
  if (!from) return reportedAt;
  const end = possibleTime(from + (metadata?.call_duration_secs ?? 0), reportedAt);
  return end < reportedAt ? end : reportedAt;
}

const RESULTS = ["answered", "voicemail", "busy", "no_answer", "failed"] as const;

/**
 * Returns how a call ended. A call that was taken and broke off with an error has failed: an agent that lacks a variable
 * says nothing. A call without a result of the platform was taken when anything was said in it.
 */
function outcomeOf({ status, metadata, transcript }: Conversation): CallReport["outcome"] {
  const result = RESULTS.find((known) => known === metadata?.phone_call?.call_result);
  if (status === "failed" && (result ?? "answered") === "answered") return "failed";
  if (result !== undefined) return result;
  return (metadata?.call_duration_secs ?? 0) > 0 || (transcript?.length ?? 0) > 0 ? "answered" : "no_answer";
}

function linesOf({ transcript }: Conversation): SpokenLine[] | null {
  if (!transcript) return null;
  return transcript.slice(0, MAX_LINES).flatMap((line) => {
    const { data } = lineSchema.safeParse(line);
    return data ? [{ role: data.role, message: data.message, at_s: data.time_in_call_secs ?? 0 }] : [];
  });
}

/** The conversations of one user, newest first as the platform lists them. */
export type FoundConversations =
  | { kind: "found"; conversations: { conversationId: string; status: string }[] }
  /** The platform did not respond, or not as documented. */
  | { kind: "unavailable"; reason: string };

const pageSchema = z.looseObject({
  conversations: z.array(z.looseObject({ conversation_id: platformIdSchema, status: z.string() })),
});

/**
 * Finds the calls that were started with `userId`, which is our reference. So we learn whether a call was made whose
 * start got no response. One reference has one call, or at most two, so one page is enough.
 */
export async function findConversations(
  config: VoiceConfig,
  { apiKey, userId }: { apiKey: string; userId: string },
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<FoundConversations> {
  const url = `${voiceUrl(config, "conversations")}?${new URLSearchParams({
    user_id: userId,
    page_size: "10",
  })}`;
  const response = await getJson(config, { url, apiKey }, options);
  if (response === null) return { kind: "unavailable", reason: "The voice platform cannot be reached" };
  const { httpStatus, body } = response;
  const page = httpStatus === 200 ? pageSchema.safeParse(body).data : undefined;
  if (page === undefined) {
    return { kind: "unavailable", reason: readPlatformError(body, { httpStatus, apiKey }).reason };
  }
  const conversations = page.conversations.map(({ conversation_id, status }) => ({
    conversationId: conversation_id,
    status,
  }));
  return { kind: "found", conversations };
}

/** The state of one conversation at the platform. */
export type ConversationState =
  | { kind: "finished"; report: CallReport }
  /** Not ringing yet, ringing, talking, or being analysed. */
  | { kind: "running" }
  | { kind: "missing" }
  /** The platform did not respond, or not as documented. */
  | { kind: "unavailable"; reason: string };

const FINISHED = new Set(["done", "failed"]);

/** Reads how a call went, by its conversation's id. Never throws for what the platform or the network does. */
export async function readConversation(
  config: VoiceConfig,
  { apiKey, conversationId, now }: { apiKey: string; conversationId: string; now: Date },
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<ConversationState> {
  const url = voiceUrl(config, "conversations", conversationId);
  const response = await getJson(config, { url, apiKey }, options);
  if (response === null) return { kind: "unavailable", reason: "The voice platform cannot be reached" };
  const { httpStatus, body } = response;
  if (httpStatus === 404) return { kind: "missing" };
  const conversation = httpStatus === 200 ? conversationSchema.safeParse(body).data : undefined;
  if (conversation === undefined) {
    return { kind: "unavailable", reason: readPlatformError(body, { httpStatus, apiKey }).reason };
  }
  if (!FINISHED.has(conversation.status)) return { kind: "running" };
  return { kind: "finished", report: reportOf(conversation, now) };
}

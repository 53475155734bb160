import type { CallReport } from "./call_report.ts";
import { type VoiceConfig, voiceUrl } from "./config.ts";
import { conversationSchema, reportOf } from "./conversation.ts";
import { getJson } from "./get_json.ts";
import { readPlatformError } from "./platform_error.ts";

/** What the platform says about one conversation. */
export type ConversationState =
  | { kind: "finished"; report: CallReport }
  /** Not rung yet, ringing, talking, or being analysed. */
  | { kind: "running" }
  | { kind: "missing" }
  /** Nothing is known: the platform did not answer, or not sensibly. */
  | { kind: "unavailable"; reason: string };

const FINISHED = new Set(["done", "failed"]);

/** Asks the platform how a call went, by its conversation's id. Never throws for what the platform or the network does. */
export async function readConversation(
  config: VoiceConfig,
  { apiKey, conversationId, now }: { apiKey: string; conversationId: string; now: Date },
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<ConversationState> {
  const url = voiceUrl(config, "conversations", conversationId);
  const answer = await getJson(config, { url, apiKey }, options);
  if (answer === null) return { kind: "unavailable", reason: "The voice platform cannot be reached" };
  const { httpStatus, body } = answer;
  if (httpStatus === 404) return { kind: "missing" };
  const conversation = httpStatus === 200 ? conversationSchema.safeParse(body).data : undefined;
  if (conversation === undefined) {
    return { kind: "unavailable", reason: readPlatformError(body, { httpStatus, apiKey }).reason };
  }
  if (!FINISHED.has(conversation.status)) return { kind: "running" };
  return { kind: "finished", report: reportOf(conversation, now) };
}

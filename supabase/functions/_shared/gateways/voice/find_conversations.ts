import { z } from "zod";
import { platformIdSchema } from "../platform_id.ts";
import { type VoiceConfig, voiceUrl } from "./config.ts";
import { getJson } from "./get_json.ts";
import { readPlatformError } from "./platform_error.ts";

/** The conversations of one user, newest first as the platform lists them. */
export type FoundConversations =
  | { kind: "found"; conversations: { conversationId: string; status: string }[] }
  /** Nothing is known: the platform did not answer, or not sensibly. */
  | { kind: "unavailable"; reason: string };

const pageSchema = z.looseObject({
  conversations: z.array(z.looseObject({ conversation_id: platformIdSchema, status: z.string() })),
});

/**
 * Looks for the calls that were started with `userId`, which is our reference: whether a call whose start had no answer
 * was made after all. One reference has one call, two at the very most, so one page will do.
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
  const answer = await getJson(config, { url, apiKey }, options);
  if (answer === null) return { kind: "unavailable", reason: "The voice platform cannot be reached" };
  const { httpStatus, body } = answer;
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

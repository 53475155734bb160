import { z } from "zod";
import { askForSession } from "./ask_for_session.ts";
import { type VoiceConfig, voiceUrl } from "./config.ts";

/**
 * Tells the platform what a visitor thought of a session; telling it twice changes nothing. Throws `not_found` or
 * `service_unavailable`. Source: Agents API, conversation feedback; the body is the one its browser client sends.
 */
export async function sendFeedback(
  config: VoiceConfig,
  { conversationId, apiKey, ...feedback }: {
    conversationId: string;
    apiKey: string;
    rating: number;
    comment: string | null;
  },
): Promise<void> {
  const { rating, comment } = feedback;
  await askForSession(config, {
    url: voiceUrl(config, "conversations", conversationId, "feedback"),
    apiKey,
    init: {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ rating, ...(comment !== null && { comment }) }),
    },
  }, z.unknown());
}

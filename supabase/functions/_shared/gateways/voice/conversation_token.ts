import { z } from "zod";
import { platformIdSchema } from "../platform_id.ts";
import { askForSession } from "./ask_for_session.ts";
import { type VoiceConfig, voiceUrl } from "./config.ts";
import { lenient } from "./lenient.ts";

const answerSchema = z.object({ token: z.string().min(1), conversation_id: lenient(platformIdSchema) });

/** What a browser enters a session with. */
export interface ConversationToken {
  token: string;
  /** The conversation it will be; null where the platform does not say it beforehand. */
  conversationId: string | null;
}

/**
 * Asks for the token of one WebRTC session with an agent. Throws `agent_not_found` or `service_unavailable`. Source:
 * Agents API, get conversation token.
 */
export async function conversationToken(
  config: VoiceConfig,
  { agentId, apiKey }: { agentId: string; apiKey: string },
): Promise<ConversationToken> {
  const url = `${voiceUrl(config, "conversation", "token")}?${new URLSearchParams({ agent_id: agentId })}`;
  const { token, conversation_id } = await askForSession(config, { url, apiKey }, answerSchema);
  return { token, conversationId: conversation_id ?? null };
}

import { z } from "zod";
import { askForSession } from "./ask_for_session.ts";
import { type VoiceConfig, voiceUrl } from "./config.ts";

const answerSchema = z.object({ token: z.string().min(1) });

/**
 * Asks for the token of one WebRTC session with an agent. Throws `agent_not_found` or `service_unavailable`. Source:
 * Agents API, get conversation token.
 */
export async function conversationToken(
  config: VoiceConfig,
  { agentId, apiKey }: { agentId: string; apiKey: string },
): Promise<string> {
  const url = `${voiceUrl(config, "conversation", "token")}?${new URLSearchParams({ agent_id: agentId })}`;
  const { token } = await askForSession(config, { url, apiKey }, answerSchema);
  return token;
}

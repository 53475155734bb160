import { z } from "zod";
import { askForSession } from "./ask_for_session.ts";
import { type VoiceConfig, voiceUrl } from "./config.ts";

/** Taken as it is: its query holds the signature under names that have changed before. */
const answerSchema = z.object({ signed_url: z.url({ protocol: /^wss?$/ }) });

/**
 * Asks for the address of one WebSocket session with an agent. It must be used within 15 minutes; the session may last
 * longer. Throws `agent_not_found` or `service_unavailable`. Source: Agents API, get signed url.
 */
export async function signedUrl(
  config: VoiceConfig,
  { agentId, apiKey }: { agentId: string; apiKey: string },
): Promise<string> {
  const query = new URLSearchParams({ agent_id: agentId });
  const url = `${voiceUrl(config, "conversation", "get-signed-url")}?${query}`;
  const { signed_url } = await askForSession(config, { url, apiKey }, answerSchema);
  return signed_url;
}

import { z } from "zod";
import { platformIdSchema } from "../platform_id.ts";
import { askForSession } from "./ask_for_session.ts";
import { type VoiceConfig, voiceUrl } from "./config.ts";
import { lenient } from "./lenient.ts";

/** The URL is taken as it is: its query holds the signature under names that have changed before. */
const answerSchema = z.object({
  signed_url: z.url({ protocol: /^wss?$/ }),
  conversation_id: lenient(platformIdSchema),
});

/** What a browser enters a session with. */
export interface SignedUrl {
  signedUrl: string;
  /** The conversation it will be; null where the platform does not say it beforehand. */
  conversationId: string | null;
}

/**
 * Asks for the address of one WebSocket session with an agent. It must be used within 15 minutes; the session may last
 * longer. With the conversation's id in the answer, the address opens one session only. Throws `agent_not_found` or
 * `service_unavailable`. Source: Agents API, get signed url; where the id stands in the answer is not documented.
 */
export async function signedUrl(
  config: VoiceConfig,
  { agentId, apiKey }: { agentId: string; apiKey: string },
): Promise<SignedUrl> {
  const query = new URLSearchParams({ agent_id: agentId, include_conversation_id: "true" });
  const url = `${voiceUrl(config, "conversation", "get-signed-url")}?${query}`;
  const { signed_url, conversation_id } = await askForSession(config, { url, apiKey }, answerSchema);
  return { signedUrl: signed_url, conversationId: conversation_id ?? idInUrl(signed_url) };
}

function idInUrl(url: string): string | null {
  return platformIdSchema.safeParse(new URL(url).searchParams.get("conversation_id")).data ?? null;
}

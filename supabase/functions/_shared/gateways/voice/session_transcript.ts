import { z } from "zod";
import { AppError } from "../../errors.ts";
import { askForSession } from "./ask_for_session.ts";
import { type VoiceConfig, voiceUrl } from "./config.ts";

/** What was said in a browser session. */
export interface SessionTranscript {
  conversation_id: string;
  /** The platform's word: `initiated`, `in-progress`, `processing`, `done`, `failed`, or a newer one. */
  status: string;
  messages: { role: "user" | "agent"; text: string; time_in_call_secs: number }[];
}

const lineSchema = z.looseObject({
  role: z.enum(["user", "agent"]),
  message: z.string().min(1),
  time_in_call_secs: z.number().nonnegative().catch(0),
});

const conversationSchema = z.looseObject({
  agent_id: z.string(),
  status: z.string(),
  transcript: z.array(z.unknown()).nullish().catch(undefined),
});

/**
 * Reads a session from the platform, if it was one with this agent. Throws `not_found` or `service_unavailable`.
 * Source: Agents API, get conversation.
 */
export async function sessionTranscript(
  config: VoiceConfig,
  { conversationId, agentId, apiKey }: { conversationId: string; agentId: string; apiKey: string },
): Promise<SessionTranscript> {
  const url = voiceUrl(config, "conversations", conversationId);
  const { agent_id, status, transcript } = await askForSession(config, { url, apiKey }, conversationSchema);
  if (agent_id !== agentId) {
    throw new AppError("not_found", "The voice platform knows no such conversation");
  }
  const messages = (transcript ?? []).flatMap((line) => {
    const { data } = lineSchema.safeParse(line);
    return data ? [{ role: data.role, text: data.message, time_in_call_secs: data.time_in_call_secs }] : [];
  });
  return { conversation_id: conversationId, status, messages };
}

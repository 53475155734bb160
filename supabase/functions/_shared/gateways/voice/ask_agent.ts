import { AppError } from "../../errors.ts";
import type { VoiceConfig } from "./client.ts";
import { signedUrl } from "./sessions.ts";
import { type AgentQuestion, type AgentReply, holdTextSession } from "./text_session.ts";

/** The account and the agent of a session. */
export interface AskedAgent {
  apiKey: string;
  /** The platform's id. */
  agentId: string;
}

/**
 * Asks an agent of the voice platform in writing, in one session of its own, and returns its reply. Ends by itself only
 * with the session: `signal` limits the time.
 */
export async function askAgent(
  config: VoiceConfig,
  { apiKey, agentId }: AskedAgent,
  question: AgentQuestion,
  signal: AbortSignal,
): Promise<AgentReply> {
  try {
    const { signedUrl: url } = await signedUrl(config, { agentId, apiKey });
    return isAllowed(url, config) ? await holdTextSession({ url, apiKey }, question, signal) : NOT_ENCRYPTED;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: "failed", isFinal: isFinal(error), reason: error.message };
  }
}

const NOT_ENCRYPTED: AgentReply = {
  kind: "failed",
  isFinal: true,
  reason: "The voice platform returned the address of a session that is not encrypted",
};

/** Without encryption only on the host that is itself reached without it, as the sandbox is. */
function isAllowed(url: string, { apiUrl }: VoiceConfig): boolean {
  const [session, api] = [new URL(url), new URL(apiUrl)];
  return session.protocol === "wss:" || api.protocol === "http:" && session.host === api.host;
}

function isFinal({ code, outage }: AppError): boolean {
  return code !== "service_unavailable" || outage?.recovery === null;
}

import { bindConversation, readVoiceSession } from "../_shared/db/voice_sessions.ts";
import { AppError } from "../_shared/errors.ts";
import { voiceUnavailable } from "../_shared/gateways/voice/ask_for_session.ts";
import { readSession } from "../_shared/gateways/voice/read_session.ts";
import type { AppContext } from "../_shared/http/app.ts";
import type { VoiceSession } from "../_shared/widgets/session_token.ts";

/** How far the platform's clock may be behind ours. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Refuses a conversation that the session did not begin. Where the platform said at the start which one it will be, that
 * one counts. Otherwise the first one the session names does, if it is with the session's agent, began after the session,
 * and is no other session's; from then on the session has no other.
 *
 * Throws `unauthorized`, `forbidden`, `not_found` and `service_unavailable` (502).
 */
export async function requireOwnConversation(
  c: AppContext,
  session: VoiceSession,
  conversationId: string,
): Promise<void> {
  const { sql } = c.var.services;
  const known = await readVoiceSession(sql, session);
  if (known === undefined) throw new AppError("unauthorized", "The session token belongs to no session");
  if (known.conversationId === conversationId) return;
  if (known.conversationId !== null) throw anothersConversation();
  await requireBegunIn(c, session, { conversationId, startedAt: known.startedAt });
  const outcome = await bindConversation(sql, { ...session, conversationId });
  if (outcome !== "bound") throw anothersConversation();
}

/** Asks the platform. Without a key to it there is nobody to ask, and nothing it could be told either. */
async function requireBegunIn(
  c: AppContext,
  { agentId }: VoiceSession,
  { conversationId, startedAt }: { conversationId: string; startedAt: Date },
): Promise<void> {
  const { ELEVENLABS_API_URL: apiUrl, ELEVENLABS_API_KEY: apiKey } = c.var.services.env;
  if (!apiKey) return;
  const report = await readSession({ apiUrl }, { conversationId, apiKey });
  if (report.kind === "unavailable") {
    throw voiceUnavailable();
  }
  c.var.services.outages.worked("voice");
  if (report.kind === "missing" || report.agentId !== agentId) {
    throw new AppError("not_found", "The voice platform knows no such conversation");
  }
  const isOlder = report.startedAt !== null &&
    report.startedAt.getTime() < startedAt.getTime() - CLOCK_SKEW_MS;
  if (isOlder) throw anothersConversation();
}

function anothersConversation(): AppError {
  return new AppError("forbidden", "This session did not begin this conversation");
}

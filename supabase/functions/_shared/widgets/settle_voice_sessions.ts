import {
  cancelVoiceSession,
  settleVoiceSession,
  takeSessionsToSettle,
  type UnsettledSession,
} from "../db/voice_sessions.ts";
import { readSession } from "../gateways/voice/read_session.ts";
import type { Services } from "../services.ts";

const SESSIONS_PER_BATCH = 20;

/**
 * A session may begin as long as its signed address holds; one the platform does not know after that never will. One it
 * still calls prepared when the session would be over never began either.
 */
const UNUSED_AFTER_MS = 20 * 60_000;

/**
 * Asks the platform how long voice sessions were, so that they count with their length and no longer with the longest
 * they might have had. Sessions it says nothing about go on counting in full.
 */
export async function settleVoiceSessions(services: Services): Promise<void> {
  const { ELEVENLABS_API_URL: apiUrl, ELEVENLABS_API_KEY: apiKey } = services.env;
  if (!apiKey) return;
  let taken: UnsettledSession[];
  do {
    taken = await takeSessionsToSettle(services.sql, SESSIONS_PER_BATCH);
    await Promise.all(taken.map((session) => settle(services, session, { apiUrl, apiKey })));
  } while (taken.length === SESSIONS_PER_BATCH);
}

async function settle(
  { sql, now }: Services,
  session: UnsettledSession,
  { apiUrl, apiKey }: { apiUrl: string; apiKey: string },
): Promise<void> {
  const report = await readSession({ apiUrl }, { conversationId: session.conversationId, apiKey });
  if (report.kind === "found" && report.durationS !== null) {
    await settleVoiceSession(sql, { ...session, durationS: report.durationS });
  }
  const unusedMs = now().getTime() - session.startedAt.getTime() - UNUSED_AFTER_MS;
  const isUnused = report.kind === "missing"
    ? unusedMs > 0
    : report.kind === "found" && !report.hasBegun && unusedMs > session.reservedS * 1000;
  if (isUnused) await cancelVoiceSession(sql, session);
}

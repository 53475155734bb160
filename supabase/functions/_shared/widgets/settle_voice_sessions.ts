import {
  cancelVoiceSession,
  settleVoiceSession,
  takeSessionsToSettle,
  type UnsettledSession,
} from "../db/widgets/voice_sessions.ts";
import { readSession } from "../gateways/voice/session_report.ts";
import type { Services } from "../services.ts";

const SESSIONS_PER_BATCH = 20;

/**
 * A session can begin while its signed address is valid. It never began if the platform does not know it after that time,
 * or still reports it as prepared when its longest duration has passed.
 */
const UNUSED_AFTER_MS = 20 * 60_000;

/**
 * Reads the duration of voice sessions from the platform, so that each counts with its real length instead of the reserved
 * maximum. A session without a report still counts in full.
 */
export async function settleVoiceSessions(services: Services): Promise<void> {
  const { ELEVENLABS_API_URL: apiUrl, ELEVENLABS_API_KEY: apiKey } = services.env;
  if (!apiKey) return;
  let batch: UnsettledSession[];
  do {
    batch = await takeSessionsToSettle(services.sql, SESSIONS_PER_BATCH);
    await Promise.all(batch.map((session) => settle(services, session, { apiUrl, apiKey })));
  } while (batch.length === SESSIONS_PER_BATCH);
}

async function settle(
  { sql, now }: Services,
  session: UnsettledSession,
  { apiUrl, apiKey }: { apiUrl: string; apiKey: string },
): Promise<void> {
  const key = { companyId: session.company_id, sessionId: session.session_id };
  const report = await readSession({ apiUrl }, { conversationId: session.conversation_id, apiKey });
  if (report.kind === "found" && report.durationS !== null) {
    await settleVoiceSession(sql, { ...key, durationS: report.durationS });
  }
  const unusedMs = now().getTime() - session.started_at.getTime() - UNUSED_AFTER_MS;
  const isUnused = report.kind === "missing"
    ? unusedMs > 0
    : report.kind === "found" && !report.hasBegun && unusedMs > session.reserved_s * 1000;
  if (isUnused) await cancelVoiceSession(sql, key);
}

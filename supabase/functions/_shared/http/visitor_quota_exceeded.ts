import type { ReachedCap, VisitorCap } from "../db/visitor_quota.ts";
import { AppError } from "../errors.ts";
import { dailyReset } from "./daily_reset.ts";

const NAMES: Record<VisitorCap, string> = {
  voice_sessions: "voice sessions",
  voice_minutes: "minutes of voice sessions",
  conversations: "conversations",
  stored_mb: "MB of stored messages",
};

/** The 429 for a visitor whose widget, or its company, has used up a daily cap. */
export function visitorQuotaExceeded(reached: ReachedCap, now: Date): AppError {
  const { cap, quota, used } = reached;
  const { resetTime, retryAfterS } = dailyReset(now);
  return new AppError(
    "quota_exceeded",
    `The daily limit of ${quota} ${NAMES[cap]} is reached; come back tomorrow`,
    {
      retryAfter: retryAfterS,
      details: { cap, quota, used, reset_time: resetTime },
    },
  );
}

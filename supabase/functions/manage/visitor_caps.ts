import { z } from "@hono/zod-openapi";
import type { CapChanges, VisitorCaps } from "../_shared/db/widgets/visitor_limits.ts";

/** The largest value of the database's columns. */
const MAX_CAP = 2_147_483_647;

const cap = z.int({ error: "a whole number" }).min(0, "at least 0").max(MAX_CAP);

/** Daily caps (UTC) for visitors, or their use. */
export const capsSchema = z.strictObject({
  voice_sessions: cap,
  voice_minutes: cap,
  conversations: cap,
  stored_mb: cap.openapi({ description: "Of messages that visitors write" }),
}).openapi("VisitorCaps", { description: "Per day (UTC)" });

/** Those to change. */
export const capChangesSchema = capsSchema.partial().openapi("VisitorCapChanges");

export const capsExample: z.input<typeof capsSchema> = {
  voice_sessions: 200,
  voice_minutes: 600,
  conversations: 1000,
  stored_mb: 50,
};

/** Returns caps in the API's names. */
export function describeCaps(caps: VisitorCaps): z.input<typeof capsSchema> {
  return {
    voice_sessions: caps.voiceSessions,
    voice_minutes: caps.voiceMinutes,
    conversations: caps.conversations,
    stored_mb: caps.storedMb,
  };
}

/** Returns the caps to change as the database takes them. */
export function capChangesOf(caps: z.infer<typeof capChangesSchema> = {}): CapChanges {
  return {
    voiceSessions: caps.voice_sessions,
    voiceMinutes: caps.voice_minutes,
    conversations: caps.conversations,
    storedMb: caps.stored_mb,
  };
}

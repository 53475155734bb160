import { z } from "@hono/zod-openapi";

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

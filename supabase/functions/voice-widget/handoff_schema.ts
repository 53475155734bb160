import { z } from "@hono/zod-openapi";

/** A place in a room, as the API document shows it. */
export const handoffSchema = z.object({
  handoff_id: z.uuid(),
  status: z.enum(["waiting", "joined"]),
  url: z.string().openapi({ description: "Of the LiveKit server", example: "wss://media.example.com" }),
  room: z.string(),
  token: z.string(),
  expires_at: z.iso.datetime().openapi({ description: "Until when `token` opens the room" }),
}).openapi("Handoff");

/** Which handoff a request is about. */
export const handoffIdSchema = z.object({ handoff_id: z.uuid({ error: "a UUID" }) }).openapi("HandoffId");

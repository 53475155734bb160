import { z } from "@hono/zod-openapi";
import { ROOM_TOKEN_S, type RoomEntry, roomToken } from "../../gateways/realtime.ts";
import type { AppContext } from "../app/context.ts";
import { requireRealtimePlatform } from "./platforms.ts";

/** Access to a room, for the API document. */
export const handoffSchema = z.object({
  handoff_id: z.uuid(),
  status: z.enum(["waiting", "joined"]),
  url: z.string().openapi({ description: "Of the LiveKit server", example: "wss://media.example.com" }),
  room: z.string(),
  token: z.string(),
  expires_at: z.iso.datetime().openapi({ description: "Until when `token` opens the room" }),
}).openapi("Handoff");

/** The visitor's access to a room, for the API document. */
export const HANDOFF_EXAMPLE: z.input<typeof handoffSchema> = {
  handoff_id: "0192f8aa-4f50-7162-9d7e-8f9a0b1c2d3e",
  status: "waiting",
  url: "wss://media.example.com",
  room: "handoff-0192f8aa-4f50-7162-9d7e-8f9a0b1c2d3e",
  token: "eyJhbGciOiJIUzI1NiJ9.e30.x",
  expires_at: "2026-12-01T09:10:00Z",
};

/** The handoff of a request. */
export const handoffIdSchema = z.object({ handoff_id: z.uuid({ error: "a UUID" }) }).openapi("HandoffId");

/** Returns one side's access to the room of a handoff. Throws `service_unavailable` without a realtime platform. */
export async function enterRoom(
  c: AppContext,
  room: string,
  side: "visitor" | "operator",
): Promise<RoomEntry & { expires_at: string }> {
  const { now } = c.var.services;
  const identity = `${side}-${crypto.randomUUID()}`;
  const entry = await roomToken(requireRealtimePlatform(c), { room, identity });
  return { ...entry, expires_at: new Date(now().getTime() + ROOM_TOKEN_S * 1000).toISOString() };
}

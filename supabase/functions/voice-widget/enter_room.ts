import { ROOM_TOKEN_S, type RoomEntry, roomToken } from "../_shared/gateways/realtime/room_token.ts";
import type { AppContext } from "../_shared/http/app.ts";
import { requireRealtimePlatform } from "./realtime_platform.ts";

/** What one side needs to enter the room of a handoff. Throws `service_unavailable` where there is no platform. */
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

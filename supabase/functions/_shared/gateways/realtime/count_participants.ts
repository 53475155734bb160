import type { RealtimeConfig } from "./config.ts";
import { isMissingRoom, realtimeUnavailable, roomService } from "./room_service.ts";

/** How many are in a room; null when the room is gone. Throws `service_unavailable` (502). */
export async function countParticipants(config: RealtimeConfig, room: string): Promise<number | null> {
  const rooms = await roomService(config);
  try {
    // A server may say of a room that is gone that nobody is in it.
    if ((await rooms.listRooms([room])).length === 0) return null;
    return (await rooms.listParticipants(room)).length;
  } catch (cause) {
    if (isMissingRoom(cause)) return null;
    throw realtimeUnavailable(cause);
  }
}

import type { RealtimeConfig } from "./config.ts";
import { isMissingRoom, realtimeUnavailable, roomService } from "./room_service.ts";

/** Puts everybody out of a room; one that is gone already is fine. Throws `service_unavailable` (502). */
export async function closeRoom(config: RealtimeConfig, room: string): Promise<void> {
  const rooms = await roomService(config);
  try {
    await rooms.deleteRoom(room);
  } catch (cause) {
    if (!isMissingRoom(cause)) throw realtimeUnavailable(cause);
  }
}

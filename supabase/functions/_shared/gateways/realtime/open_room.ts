import type { RealtimeConfig } from "./config.ts";
import { realtimeUnavailable, roomService } from "./room_service.ts";

/** How long a room waits for the first to come, and for the last to come back, in seconds. */
const EMPTY_TIMEOUT_S = 15 * 60;
const DEPARTURE_TIMEOUT_S = 30;
/** The visitor, the person, and one more to help. */
export const MAX_PARTICIPANTS = 3;

/** Makes a room; one that is there already stays. Throws `service_unavailable` (502). */
export async function openRoom(config: RealtimeConfig, room: string): Promise<void> {
  const rooms = await roomService(config);
  try {
    await rooms.createRoom({
      name: room,
      emptyTimeout: EMPTY_TIMEOUT_S,
      departureTimeout: DEPARTURE_TIMEOUT_S,
      maxParticipants: MAX_PARTICIPANTS,
    });
  } catch (cause) {
    throw realtimeUnavailable(cause);
  }
}

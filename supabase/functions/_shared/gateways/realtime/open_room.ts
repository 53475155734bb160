import { upstreamUnavailable } from "../../errors.ts";
import { loadSdk, type RealtimeConfig } from "./config.ts";

/** How long a room waits for the first to come, and for the last to come back, in seconds. */
const EMPTY_TIMEOUT_S = 15 * 60;
const DEPARTURE_TIMEOUT_S = 30;
/** The visitor, the person, and one more to help. */
const MOST_PARTICIPANTS = 3;
const TIMEOUT_S = 10;

/** Makes a room; one that is there already stays. Throws `service_unavailable` (502). */
export async function openRoom(config: RealtimeConfig, room: string): Promise<void> {
  const { RoomServiceClient } = await loadSdk();
  const rooms = new RoomServiceClient(config.url, config.apiKey, config.apiSecret, {
    requestTimeout: TIMEOUT_S,
  });
  try {
    await rooms.createRoom({
      name: room,
      emptyTimeout: EMPTY_TIMEOUT_S,
      departureTimeout: DEPARTURE_TIMEOUT_S,
      maxParticipants: MOST_PARTICIPANTS,
    });
  } catch (cause) {
    throw upstreamUnavailable("realtime", "Nobody can take over right now; try again in a moment", { cause });
  }
}

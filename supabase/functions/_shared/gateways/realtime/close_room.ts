import { loadSdk, type RealtimeConfig } from "./config.ts";

const TIMEOUT_S = 10;

/** Puts everybody out of a room. Rejects when the platform cannot be reached, or has no such room any more. */
export async function closeRoom(config: RealtimeConfig, room: string): Promise<void> {
  const { RoomServiceClient } = await loadSdk();
  const rooms = new RoomServiceClient(config.url, config.apiKey, config.apiSecret, {
    requestTimeout: TIMEOUT_S,
  });
  await rooms.deleteRoom(room);
}

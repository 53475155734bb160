import { type AppError, upstreamUnavailable } from "../../errors.ts";
import { loadSdk, type RealtimeConfig } from "./config.ts";

const TIMEOUT_S = 10;

/** The rooms of a LiveKit server. */
export async function roomService(config: RealtimeConfig) {
  const { RoomServiceClient } = await loadSdk();
  return new RoomServiceClient(config.url, config.apiKey, config.apiSecret, { requestTimeout: TIMEOUT_S });
}

/** Whether the server refused because it has no such room. */
export function isMissingRoom(error: unknown): boolean {
  return (error as { code?: unknown }).code === "not_found";
}

/** The 502 for a server that cannot be asked. */
export function realtimeUnavailable(cause: unknown): AppError {
  return upstreamUnavailable("realtime", "Nobody can take over right now; try again in a moment", { cause });
}

import { loadSdk, type RealtimeConfig } from "./config.ts";

/** How long a token opens the room; who is in stays in. */
export const ROOM_TOKEN_S = 15 * 60;

/** What somebody needs to enter a room from a browser. */
export interface RoomEntry {
  url: string;
  room: string;
  token: string;
}

/**
 * Lets one into a room, with a microphone and nothing else: no camera, no screen, no data. Names and ids must say nothing
 * about a person: they are logged.
 */
export async function roomToken(
  config: RealtimeConfig,
  { room, identity }: { room: string; identity: string },
): Promise<RoomEntry> {
  const { AccessToken, TrackSource } = await loadSdk();
  const token = new AccessToken(config.apiKey, config.apiSecret, { identity, ttl: ROOM_TOKEN_S });
  token.addGrant({
    roomJoin: true,
    room,
    canPublish: true,
    canSubscribe: true,
    canPublishData: false,
    canPublishSources: [TrackSource.MICROPHONE],
  });
  return { url: config.url.replace(/^http/, "ws"), room, token: await token.toJwt() };
}

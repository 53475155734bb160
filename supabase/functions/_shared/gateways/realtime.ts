import { type AppError, upstreamUnavailable } from "../errors.ts";

/** The real-time platform on which a visitor and a person talk: a LiveKit server, hosted or one's own. */
export interface RealtimeConfig {
  /** `wss://…` or `https://…`. */
  url: string;
  apiKey: string;
  apiSecret: string;
}

const TIMEOUT_S = 10;
/** How long a room waits for the first participant, and for the last one to return, in seconds. */
const EMPTY_TIMEOUT_S = 15 * 60;
const DEPARTURE_TIMEOUT_S = 30;
/** The visitor, the person, and one more to help. */
export const MAX_PARTICIPANTS = 3;

/** Makes a room; an existing one stays. Throws `service_unavailable` (502). */
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

/** Counts who is in a room; null when the room is gone. Throws `service_unavailable` (502). */
export async function countParticipants(config: RealtimeConfig, room: string): Promise<number | null> {
  const rooms = await roomService(config);
  try {
    // A server may report a room that is gone as empty.
    if ((await rooms.listRooms([room])).length === 0) return null;
    return (await rooms.listParticipants(room)).length;
  } catch (cause) {
    if (isMissingRoom(cause)) return null;
    throw realtimeUnavailable(cause);
  }
}

/** Removes all participants from a room; one that is gone already is fine. Throws `service_unavailable` (502). */
export async function closeRoom(config: RealtimeConfig, room: string): Promise<void> {
  const rooms = await roomService(config);
  try {
    await rooms.deleteRoom(room);
  } catch (cause) {
    if (!isMissingRoom(cause)) throw realtimeUnavailable(cause);
  }
}

/** How long a token opens the room. Participants already in the room stay connected. */
export const ROOM_TOKEN_S = 15 * 60;

/** The credentials with which a browser enters a room. */
export interface RoomEntry {
  url: string;
  room: string;
  token: string;
}

/**
 * Signs a token for one participant, with a microphone and nothing else: no camera, no screen, no data. Names and ids
 * must say nothing about a person, because they are logged.
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

/** Loads the library when it is first needed: it is large, and most processes never hand a caller over. */
function loadSdk() {
  return import("livekit-server-sdk");
}

async function roomService(config: RealtimeConfig) {
  const { RoomServiceClient } = await loadSdk();
  return new RoomServiceClient(config.url, config.apiKey, config.apiSecret, { requestTimeout: TIMEOUT_S });
}

function isMissingRoom(error: unknown): boolean {
  return (error as { code?: unknown }).code === "not_found";
}

function realtimeUnavailable(cause: unknown): AppError {
  return upstreamUnavailable(
    "realtime",
    "Handoff failed: the realtime service did not respond",
    { cause },
  );
}

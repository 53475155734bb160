/** The parts of LiveKit's client that a call uses, in a file of their own: it is loaded when a member takes a call. */
export { ConnectionState, DisconnectReason, Room, RoomEvent, setLogLevel } from "livekit-client";

import type { Handoff } from "../../../data/sdk.ts";

/** The room in which a visitor and a member talk. */
export interface TalkRoom {
  setMuted(muted: boolean): void;
  leave(): Promise<void>;
}

export interface RoomEvents {
  /** The visitor is there, or not any more. */
  onVisitor: (isThere: boolean) => void;
  /** The connection is interrupted, or restored. */
  onInterrupted: (isInterrupted: boolean) => void;
  /** The room closed, or the connection could not be restored. */
  onEnd: (how: "left" | "lost") => void;
}

/** Enters the room of a handoff, switches the microphone on and plays the visitor's voice. Rejects where it cannot. */
export async function enterRoom(
  { url, token }: Pick<Handoff, "url" | "token">,
  { onVisitor, onInterrupted, onEnd }: RoomEvents,
): Promise<TalkRoom> {
  const { ConnectionState, DisconnectReason, Room, RoomEvent, setLogLevel } = await import(
    "./livekit_client.ts"
  );
  setLogLevel("warn");
  const room = new Room();
  const sounds = new Set<HTMLMediaElement>();
  // LiveKit reports "disconnected" also for a room that could not be entered.
  let isInside = false;
  const closed = [
    DisconnectReason.ROOM_DELETED,
    DisconnectReason.ROOM_CLOSED,
    DisconnectReason.PARTICIPANT_REMOVED,
  ];
  const countVisitors = () => onVisitor(room.remoteParticipants.size > 0);
  room.on(RoomEvent.ParticipantConnected, countVisitors);
  room.on(RoomEvent.ParticipantDisconnected, countVisitors);
  room.on(RoomEvent.Disconnected, (reason) => {
    if (isInside) onEnd(reason !== undefined && closed.includes(reason) ? "left" : "lost");
  });
  room.on(RoomEvent.ConnectionStateChanged, (state) => {
    if (isInside && state !== ConnectionState.Disconnected) {
      onInterrupted(state !== ConnectionState.Connected);
    }
  });
  room.on(RoomEvent.TrackSubscribed, (track) => {
    const sound = track.attach();
    sounds.add(sound);
    document.body.append(sound);
  });
  room.on(RoomEvent.TrackUnsubscribed, (track) => track.detach().forEach((element) => element.remove()));

  async function leave(): Promise<void> {
    isInside = false;
    for (const sound of sounds) sound.remove();
    await room.disconnect();
  }

  try {
    await room.connect(url, token);
    isInside = true;
    await room.localParticipant.setMicrophoneEnabled(true);
  } catch (error) {
    await leave();
    throw error;
  }
  countVisitors();
  return { setMuted: (muted) => void room.localParticipant.setMicrophoneEnabled(!muted), leave };
}

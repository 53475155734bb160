import { loadLibrary } from "./load_library.ts";
import { VoiceProblem } from "./problem.ts";
import type { Handoff } from "./schemas.ts";

/** The room in which the visitor talks with a person. */
export interface Room {
  setMuted(muted: boolean): void;
  leave(): Promise<void>;
}

export interface RoomOptions {
  /** Asked when the microphone would be switched on. */
  isMuted: () => boolean;
  onJoined: () => void;
  /** The person has left, or the room is gone. */
  onEnd: () => void;
}

/**
 * Enters the room of a handoff, with the microphone on unless it is muted. What the person says is played in this page.
 *
 * @throws {VoiceProblem} `handoff_unavailable` when the room cannot be entered
 */
export async function enterRoom(
  { url, token }: Handoff,
  { isMuted, onJoined, onEnd }: RoomOptions,
): Promise<Room> {
  const { Room, RoomEvent, setLogLevel } = await loadLibrary("livekit_client").catch((error) => {
    throw new VoiceProblem("handoff_unavailable", error);
  });
  setLogLevel("warn");
  const room = new Room();
  const sounds = new Set<HTMLMediaElement>();
  // A room that cannot be entered says "disconnected" too.
  let isInside = false;
  room.on(RoomEvent.ParticipantConnected, onJoined);
  room.on(RoomEvent.ParticipantDisconnected, () => room.remoteParticipants.size === 0 && onEnd());
  room.on(RoomEvent.Disconnected, () => isInside && onEnd());
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
    await room.localParticipant.setMicrophoneEnabled(!isMuted());
  } catch (error) {
    await leave();
    throw new VoiceProblem("handoff_unavailable", error);
  }
  if (room.remoteParticipants.size > 0) onJoined();
  return { setMuted: (muted) => void room.localParticipant.setMicrophoneEnabled(!muted), leave };
}

import { loadLibrary } from "./host_files.ts";
import { VoiceProblem } from "./problem.ts";
import type { Handoff } from "./schemas.ts";

/** The room in which visitor and person talk. */
export interface Room {
  setMuted(muted: boolean): void;
  /** Opens the default microphone again. */
  changeMicrophone(): Promise<void>;
  leave(): Promise<void>;
}

export interface RoomOptions {
  /** Called before the microphone is switched on. */
  isMuted: () => boolean;
  onJoined: () => void;
  /** The connection to the server is interrupted, or restored. */
  onInterrupted: (interrupted: boolean) => void;
  /** The browser plays no sound before the visitor presses something, or plays it now. */
  onSoundBlocked: (blocked: boolean) => void;
  /** `left`: the person left, or the room was closed. `lost`: the connection could not be restored. */
  onEnd: (how: "left" | "lost") => void;
}

/**
 * Enters the room of a handoff, with the microphone on unless it is muted, and plays the person's voice.
 *
 * @throws {VoiceProblem} `handoff_unavailable` when the room cannot be entered
 */
export async function enterRoom(
  { url, token }: Handoff,
  { isMuted, onJoined, onInterrupted, onSoundBlocked, onEnd }: RoomOptions,
): Promise<Room> {
  const { ConnectionState, DisconnectReason, Room, RoomEvent, setLogLevel, Track } = await loadLibrary(
    "livekit_client",
  ).catch((error) => {
    throw new VoiceProblem("handoff_unavailable", error);
  });
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
  // A room that is entered again, after its server restarted, is empty at first: the person has not left, and returns too.
  let hasMet = false;
  let awaitsReturn = false;
  const meet = () => {
    hasMet = true;
    onJoined();
    reportState();
  };
  function reportState(): void {
    if (!isInside || room.state === ConnectionState.Disconnected) return;
    const isConnected = room.state === ConnectionState.Connected;
    awaitsReturn = hasMet && (!isConnected || awaitsReturn && room.remoteParticipants.size === 0);
    onInterrupted(!isConnected || awaitsReturn);
  }
  room.on(RoomEvent.ParticipantConnected, meet);
  // The client empties the room before it says that it enters it again.
  room.on(RoomEvent.ParticipantDisconnected, () =>
    queueMicrotask(() => {
      const isLeft = room.state === ConnectionState.Connected && room.remoteParticipants.size === 0;
      if (isLeft && !awaitsReturn) onEnd("left");
    }));
  room.on(RoomEvent.Disconnected, (reason) => {
    if (isInside) onEnd(reason !== undefined && closed.includes(reason) ? "left" : "lost");
  });
  // No other event reports that the server does not respond.
  room.on(RoomEvent.ConnectionStateChanged, reportState);
  room.on(RoomEvent.TrackSubscribed, (track) => {
    const sound = track.attach();
    sounds.add(sound);
    document.body.append(sound);
  });
  room.on(RoomEvent.TrackUnsubscribed, (track) => track.detach().forEach((element) => element.remove()));

  // Browsers that play no sound by themselves: Safari, where the visitor has entered muted.
  room.on(RoomEvent.AudioPlaybackStatusChanged, () => onSoundBlocked(!room.canPlaybackAudio));
  const inside = new AbortController();
  addEventListener("click", () => {
    if (!room.canPlaybackAudio) room.startAudio().catch(() => {});
  }, { signal: inside.signal });

  async function leave(): Promise<void> {
    isInside = false;
    inside.abort();
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
  if (room.remoteParticipants.size > 0) meet();
  return {
    setMuted: (muted) => void room.localParticipant.setMicrophoneEnabled(!muted),
    async changeMicrophone() {
      await room.localParticipant.getTrackPublication(Track.Source.Microphone)?.audioTrack?.restartTrack();
      // LiveKit's client has muted a microphone that was lost.
      await room.localParticipant.setMicrophoneEnabled(!isMuted());
    },
    leave,
  };
}

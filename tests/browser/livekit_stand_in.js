// What the widget uses of LiveKit's client; a test plays the other side by `livekit.room.emit`, and keeps the room shut
// by a promise in `livekitDoor`.
(() => {
  const RoomEvent = {
    ParticipantConnected: "participantConnected",
    ParticipantDisconnected: "participantDisconnected",
    Disconnected: "disconnected",
    ConnectionStateChanged: "connectionStateChanged",
    TrackSubscribed: "trackSubscribed",
    TrackUnsubscribed: "trackUnsubscribed",
    AudioPlaybackStatusChanged: "audioPlaybackChanged",
  };
  const ConnectionState = { Connected: "connected", Disconnected: "disconnected" };
  const DisconnectReason = { SERVER_SHUTDOWN: 3, PARTICIPANT_REMOVED: 4, ROOM_DELETED: 5, ROOM_CLOSED: 10 };
  class Room {
    handlers = {};
    remoteParticipants = new Map();
    canPlaybackAudio = true;
    state = "connected";
    localParticipant = {
      setMicrophoneEnabled: (on) => {
        globalThis.livekit.microphone = on;
        return Promise.resolve();
      },
      getTrackPublication: () => ({
        audioTrack: {
          restartTrack: () => {
            globalThis.livekit.restarts = (globalThis.livekit.restarts ?? 0) + 1;
            return Promise.resolve();
          },
        },
      }),
    };
    startAudio() {
      this.canPlaybackAudio = true;
      this.emit("audioPlaybackChanged");
      return Promise.resolve();
    }
    on(event, handler) {
      this.handlers[event] = handler;
    }
    connect(url, token) {
      globalThis.livekit = { room: this, url, token };
      return globalThis.livekitDoor ?? Promise.resolve();
    }
    disconnect() {
      globalThis.livekit.left = true;
      return Promise.resolve();
    }
    emit(event, ...rest) {
      if (event === "connectionStateChanged") this.state = rest[0];
      this.handlers[event](...rest);
    }
  }
  const Track = { Source: { Microphone: "microphone" } };
  globalThis.LivekitClient = { ConnectionState, DisconnectReason, Room, RoomEvent, Track, setLogLevel() {} };
})();

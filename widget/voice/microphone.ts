import { type Problem, problemOf, VoiceProblem } from "./problem.ts";

/** The visitor's microphone, in use until it is released. */
export interface Microphone {
  release(): void;
}

export interface MicrophoneEvents {
  /** It was unplugged, or the browser may not use it any more. */
  onLost: (problem: Problem) => void;
  /** Another one takes its place. The clients of the platforms have to open this device; a rejection counts as a loss. */
  onChanged: (deviceId: string | undefined) => Promise<void>;
}

/**
 * Requests the microphone and holds it, so that the browser does not prompt again when a session opens it, and reports
 * what becomes of it: the clients of the platforms go on with a dead one in silence.
 *
 * @throws {VoiceProblem} `microphone_refused` or `microphone_missing`
 */
export async function holdMicrophone({ onLost, onChanged }: MicrophoneEvents): Promise<Microphone> {
  const over = new AbortController();
  const { signal } = over;
  let stream = await openMicrophone();
  let known = await inputIds();
  let checking = Promise.resolve();
  const check = () => void (checking = checking.then(renew));

  function follow(next: MediaStream): void {
    stream = next;
    trackOf(next)?.addEventListener("ended", () => {
      onLost("microphone_lost");
      check();
    }, { signal });
  }

  /** Opens the default microphone again after a loss, or where one was plugged in. */
  async function renew(): Promise<void> {
    const ids = await inputIds();
    const hasNew = ids.some((id) => !known.includes(id));
    known = ids;
    if (signal.aborted || (isLive(stream) && !hasNew)) return;
    try {
      await replace(await openMicrophone());
    } catch (error) {
      const { problem } = error as VoiceProblem;
      if (!signal.aborted && !isLive(stream)) {
        onLost(problem === "microphone_refused" ? problem : "microphone_lost");
      }
    }
  }

  async function replace(next: MediaStream): Promise<void> {
    if (signal.aborted || (isLive(stream) && isSame(stream, next))) return stop(next);
    stop(stream);
    follow(next);
    await onChanged(trackOf(next)?.getSettings().deviceId).catch(() => onLost("microphone_lost"));
  }

  follow(stream);
  navigator.mediaDevices.addEventListener("devicechange", check, { signal });
  navigator.permissions.query({ name: "microphone" }).then(
    (permission) => permission.addEventListener("change", check, { signal }),
    () => {},
  );
  return {
    release() {
      over.abort();
      stop(stream);
    },
  };
}

async function openMicrophone(): Promise<MediaStream> {
  // Browsers offer no devices to pages that were loaded without https.
  if (!navigator.mediaDevices?.getUserMedia) throw new VoiceProblem("microphone_missing");
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch (error) {
    throw new VoiceProblem(problemOf(error, "microphone_missing"), error);
  }
}

async function inputIds(): Promise<string[]> {
  const devices = await navigator.mediaDevices.enumerateDevices().catch(() => []);
  return devices.filter(({ kind }) => kind === "audioinput").map(({ deviceId }) => deviceId);
}

function trackOf(stream: MediaStream): MediaStreamTrack | undefined {
  return stream.getAudioTracks()[0];
}

function isLive(stream: MediaStream): boolean {
  return trackOf(stream)?.readyState === "live";
}

/** The browser's default may have the same id and be another device. */
function isSame(one: MediaStream, other: MediaStream): boolean {
  const [a, b] = [one, other].map((stream) => {
    const { deviceId, groupId } = trackOf(stream)?.getSettings() ?? {};
    return [deviceId, groupId, trackOf(stream)?.label].join();
  });
  return a === b;
}

function stop(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

/**
 * Firefox before 132 rejects a query of this permission, and the voice platform's client then starts no session: here
 * such a query is answered by one that never changes.
 */
export function tolerateUnknownPermission(): void {
  const { permissions } = navigator;
  if (!permissions) return;
  const query = permissions.query.bind(permissions);
  permissions.query = async (descriptor) => {
    try {
      return await query(descriptor);
    } catch (error) {
      if (descriptor.name !== "microphone" || !(error instanceof TypeError)) throw error;
      return Object.assign(new EventTarget(), {
        name: descriptor.name,
        state: "prompt" as const,
        onchange: null,
      });
    }
  };
}

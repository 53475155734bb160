import type { SandboxCall } from "../calls/call.ts";

/** Samples per second, one byte each, as phones have them. */
const RATE = 8000;
const HEADER_BYTES = 44;
const SILENCE = 128;
const LOUDNESS = 40;
/** Longer calls have a shorter recording: it is made in memory. */
const MAX_S = 60;
/** How long each utterance sounds, and how high. */
const TONE_S = 0.6;
const TONES_HZ = { agent: 440, user: 330 };

/** Returns the recording of a call as a WAV file of its length: silence, and a tone where a speaker begins. */
export function recordingOf({ duration_secs, transcript }: SandboxCall): Uint8Array<ArrayBuffer> {
  const length = Math.min(Math.max(duration_secs, 1), MAX_S) * RATE;
  const file = new Uint8Array(HEADER_BYTES + length).fill(SILENCE, HEADER_BYTES);
  writeHeader(new DataView(file.buffer), length);
  const sound = file.subarray(HEADER_BYTES);
  for (const { role, time_in_call_secs } of transcript) {
    addTone(sound.subarray(time_in_call_secs * RATE), TONES_HZ[role]);
  }
  return file;
}

function addTone(sound: Uint8Array, hz: number): void {
  const length = Math.min(sound.length, TONE_S * RATE);
  for (let at = 0; at < length; at++) {
    sound[at] = SILENCE + Math.round(LOUDNESS * Math.sin(2 * Math.PI * hz * at / RATE));
  }
}

/** The head of a RIFF file with one channel of plain 8-bit samples. */
function writeHeader(head: DataView, length: number): void {
  const text = (at: number, value: string) =>
    [...value].forEach((letter, index) => head.setUint8(at + index, letter.charCodeAt(0)));
  text(0, "RIFF");
  head.setUint32(4, HEADER_BYTES - 8 + length, true);
  text(8, "WAVEfmt ");
  head.setUint32(16, 16, true);
  head.setUint16(20, 1, true);
  head.setUint16(22, 1, true);
  head.setUint32(24, RATE, true);
  head.setUint32(28, RATE, true);
  head.setUint16(32, 1, true);
  head.setUint16(34, 8, true);
  text(36, "data");
  head.setUint32(40, length, true);
}

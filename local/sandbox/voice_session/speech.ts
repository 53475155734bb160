/** Samples a second of what the agent says. */
export const SAMPLE_RATE = 16_000;
/** What one audio frame holds. */
export const CHUNK_MS = 200;

/** About how long a sentence takes to say, between half a second and four. */
export function speechLengthMs(text: string): number {
  return Math.min(4000, Math.max(500, text.length * 45));
}

/**
 * Sound that rises and falls in syllables as speech does, as base64 frames of PCM (16 bit, little endian, mono), so
 * that a volume meter has something to show.
 */
export function speechFrames(text: string): string[] {
  const total = Math.round(speechLengthMs(text) * SAMPLE_RATE / 1000);
  const size = CHUNK_MS * SAMPLE_RATE / 1000;
  const frames: string[] = [];
  for (let start = 0; start < total; start += size) {
    frames.push(frame(start, Math.min(size, total - start), total));
  }
  return frames;
}

function frame(start: number, length: number, total: number): string {
  const bytes = new DataView(new ArrayBuffer(length * 2));
  for (let index = 0; index < length; index++) {
    bytes.setInt16(index * 2, Math.round(sample(start + index, total) * 32767), true);
  }
  return new Uint8Array(bytes.buffer).toBase64();
}

/** Two tones a voice could have, swelling five times a second, soft at both ends. */
function sample(index: number, total: number): number {
  const seconds = index / SAMPLE_RATE;
  const syllable = Math.sin(Math.PI * ((seconds * 5) % 1)) ** 2;
  const edge = Math.min(1, index / 800, (total - index) / 800);
  const tone = Math.sin(2 * Math.PI * 170 * seconds) + 0.5 * Math.sin(2 * Math.PI * 510 * seconds);
  return 0.16 * tone * syllable * edge;
}

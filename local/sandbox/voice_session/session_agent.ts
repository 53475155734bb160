/** The simulated agent's reaction to a sentence of the visitor. */
export type Reply =
  | { kind: "say"; text: string }
  | { kind: "search"; query: string }
  | { kind: "transfer" }
  | { kind: "hang_up"; text: string };

/** The sentences that the simulated recogniser returns, in this order, while a microphone is on. */
export const RECOGNISED = [
  "What are your opening hours?",
  "And where can I find you?",
  "Thank you, that is all I wanted to know.",
] as const;

const REPLIES: Record<string, string> = {
  [RECOGNISED[0]]: "We are open from nine to six, Monday to Saturday.",
  [RECOGNISED[1]]: "You find us at 12 Market Street, right beside the station.",
  [RECOGNISED[2]]: "You are welcome. Say bye when you want to hang up.",
};

/**
 * Returns the agent's reaction: "bye" hangs up, "search …" or "find …" uses the visitor's `search` tool, "transfer me"
 * gives the conversation to a person, any other text gets a reply.
 */
export function replyTo(text: string): Reply {
  if (/\b(bye|goodbye|adi[oó]s|tschüss|au revoir|tchau)\b/i.test(text)) {
    return { kind: "hang_up", text: "Goodbye, and thank you for calling." };
  }
  const query = /^\s*(?:search|find|buscar|chercher|suche)\s+(?:for\s+)?(.+)/i.exec(text)?.[1];
  if (query !== undefined) return { kind: "search", query: query.trim() };
  if (/\btransfer me\b/i.test(text)) return { kind: "transfer" };
  return { kind: "say", text: REPLIES[text] ?? `You said: ${text}` };
}

/** Samples per second of the agent's sound. */
export const SAMPLE_RATE = 16_000;
/** The length of one audio frame. */
export const CHUNK_MS = 200;

/** The approximate length of a spoken sentence, between half a second and four. */
function speechLengthMs(text: string): number {
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

/** Two tones a voice could have, swelling five times per second, soft at both ends. */
function sample(index: number, total: number): number {
  const seconds = index / SAMPLE_RATE;
  const syllable = Math.sin(Math.PI * ((seconds * 5) % 1)) ** 2;
  const edge = Math.min(1, index / 800, (total - index) / 800);
  const tone = Math.sin(2 * Math.PI * 170 * seconds) + 0.5 * Math.sin(2 * Math.PI * 510 * seconds);
  return 0.16 * tone * syllable * edge;
}

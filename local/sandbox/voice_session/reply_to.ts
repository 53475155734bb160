/** What the simulated agent does about something it heard. */
export type Reply =
  | { kind: "say"; text: string }
  | { kind: "search"; query: string }
  | { kind: "hang_up"; text: string };

/** Sentences the simulated recogniser hears, one after the other, while a microphone is on. */
export const HEARD = [
  "What are your opening hours?",
  "And where can I find you?",
  "Thank you, that is all I wanted to know.",
] as const;

const ANSWERS: Record<string, string> = {
  [HEARD[0]]: "We are open from nine to six, Monday to Saturday.",
  [HEARD[1]]: "You find us at 12 Market Street, right beside the station.",
  [HEARD[2]]: "You are welcome. Say bye when you want to hang up.",
};

/** "bye" ends the call, "search …" or "find …" uses the visitor's `search` tool, anything else is answered. */
export function replyTo(text: string): Reply {
  if (/\b(bye|goodbye|adi[oó]s|tschüss|au revoir|tchau)\b/i.test(text)) {
    return { kind: "hang_up", text: "Goodbye, and thank you for calling." };
  }
  const query = /^\s*(?:search|find|buscar|chercher|suche)\s+(?:for\s+)?(.+)/i.exec(text)?.[1];
  if (query !== undefined) return { kind: "search", query: query.trim() };
  return { kind: "say", text: ANSWERS[text] ?? `I heard: ${text}` };
}

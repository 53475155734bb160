import { baseOf, labelsIn } from "../shared/language.ts";

/** The button's built-in labels, by language. */
const OPEN_LABELS: Record<string, Record<"chat" | "voice", string>> = {
  en: { chat: "Open the chat", voice: "Open the voice assistant" },
  es: { chat: "Abrir el chat", voice: "Abrir el asistente de voz" },
  pt: { chat: "Abrir o chat", voice: "Abrir o assistente de voz" },
  fr: { chat: "Ouvrir la discussion", voice: "Ouvrir l’assistant vocal" },
  de: { chat: "Chat öffnen", voice: "Sprachassistenten öffnen" },
};

/** Returns the texts of a button whose own could not be loaded, in a language or in English. */
export function fallbackTexts(mode: "chat" | "voice", language: string): Record<string, string> {
  const { close, unavailable, retry } = labelsIn(language);
  const open_label = (OPEN_LABELS[baseOf(language)] ?? OPEN_LABELS.en!)[mode];
  return { open_label, close_label: close, unavailable, retry };
}

/** What we say ourselves, before the widget's own texts are there or when they cannot be had. */
export interface Labels {
  open: string;
  close: string;
  unavailable: string;
  retry: string;
}

type Words = [chat: string, voice: string, close: string, unavailable: string, retry: string];

const WORDS: Record<string, Words> = {
  en: ["Open the chat", "Open the voice assistant", "Close", "This cannot be reached right now", "Try again"],
  es: ["Abrir el chat", "Abrir el asistente de voz", "Cerrar", "No disponible en este momento", "Reintentar"],
  pt: ["Abrir o chat", "Abrir o assistente de voz", "Fechar", "Indisponível neste momento", "Tentar de novo"],
  fr: [
    "Ouvrir la discussion",
    "Ouvrir l’assistant vocal",
    "Fermer",
    "Indisponible pour le moment",
    "Réessayer",
  ],
  de: ["Chat öffnen", "Sprachassistenten öffnen", "Schließen", "Gerade nicht erreichbar", "Noch einmal"],
};

/** Our own words in a language, otherwise in English. */
export function labelsIn(language: string, mode: "chat" | "voice"): Labels {
  const [chat, voice, close, unavailable, retry] = WORDS[language.toLowerCase().split("-")[0]!] ?? WORDS.en!;
  return { open: mode === "chat" ? chat : voice, close, unavailable, retry };
}

import type { Language } from "./language.ts";

/** The texts of notifications while the console is closed: the service worker has no other words. */
export const PUSH_TEXTS: Record<Language, { conversation: string; handoff: string }> = {
  en: { conversation: "A conversation waits for you.", handoff: "A caller waits for you." },
  es: { conversation: "Una conversación te espera.", handoff: "Una llamada te espera." },
  pt: { conversation: "Uma conversa espera por você.", handoff: "Uma chamada espera por você." },
};

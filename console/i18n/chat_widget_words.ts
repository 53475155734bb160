import { type Language, language } from "./language.ts";

/** The words of a chat widget's content. They stand apart because only its editor needs them, and the words of all load first. */
const WORDS = {
  en: {
    features: { files: "Visitors can send files", emoji: "Emoji to choose from" },
    quickReplies: "Quick replies at the start",
    quickRepliesHelp: "One per line, up to 10. After a | comes the automatic reply, if there is one.",
  },
  es: {
    features: { files: "Los visitantes pueden enviar archivos", emoji: "Emoji para elegir" },
    quickReplies: "Respuestas rápidas al principio",
    quickRepliesHelp: "Una por línea, hasta 10. Tras un | va la respuesta automática, si la hay.",
  },
  pt: {
    features: { files: "Os visitantes podem enviar arquivos", emoji: "Emoji para escolher" },
    quickReplies: "Respostas rápidas no início",
    quickRepliesHelp: "Uma por linha, até 10. Depois de um | vem a resposta automática, se houver.",
  },
} satisfies Record<Language, unknown>;

/** Returns the words of a chat widget's content in the member's language. */
export function chatWidgetWords(): typeof WORDS.en {
  return WORDS[language.value];
}

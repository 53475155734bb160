import { type Language, language } from "./language.ts";

/** The words about machines that reply first in chats. They stand apart because only two screens need them. */
const WORDS = {
  en: {
    first: "First reply",
    modes: { off: "Only by members", search: "By a machine, from your documents" },
    firstHelp: "Visitors can ask for a person at any time. Add the documents under Knowledge.",
    wantsPerson: "Wants a person",
  },
  es: {
    first: "Primera respuesta",
    modes: { off: "Solo de miembros", search: "De una máquina, con tus documentos" },
    firstHelp:
      "Los visitantes pueden pedir una persona en todo momento. Añade los documentos en Conocimiento.",
    wantsPerson: "Pide una persona",
  },
  pt: {
    first: "Primeira resposta",
    modes: { off: "Só de membros", search: "De uma máquina, com os seus documentos" },
    firstHelp:
      "Os visitantes podem pedir uma pessoa a qualquer momento. Adicione os documentos em Conhecimento.",
    wantsPerson: "Pede uma pessoa",
  },
} satisfies Record<Language, unknown>;

/** Returns these words in the member's language. */
export function assistantWords(): typeof WORDS.en {
  return WORDS[language.value];
}

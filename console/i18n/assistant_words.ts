import { type Language, language } from "./language.ts";

/** The words about machines that reply first in chats. They stand apart because only two screens need them. */
const WORDS = {
  en: {
    first: "First reply",
    modes: { off: "Only by members", search: "By a machine, from your documents", agent: "By an agent" },
    firstHelp: "Visitors can ask for a person at any time. Add the documents under Knowledge.",
    agent: "The agent that replies",
    agentHelp: "The id of one of your agents. A person gets the conversation where it does not reply.",
    wantsPerson: "Wants a person",
  },
  es: {
    first: "Primera respuesta",
    modes: { off: "Solo de miembros", search: "De una máquina, con tus documentos", agent: "De un agente" },
    firstHelp:
      "Los visitantes pueden pedir una persona en todo momento. Añade los documentos en Conocimiento.",
    agent: "El agente que responde",
    agentHelp: "El id de uno de tus agentes. Si no responde, la conversación pasa a una persona.",
    wantsPerson: "Pide una persona",
  },
  pt: {
    first: "Primeira resposta",
    modes: { off: "Só de membros", search: "De uma máquina, com os seus documentos", agent: "De um agente" },
    firstHelp:
      "Os visitantes podem pedir uma pessoa a qualquer momento. Adicione os documentos em Conhecimento.",
    agent: "O agente que responde",
    agentHelp: "O id de um dos seus agentes. Se não responder, a conversa passa para uma pessoa.",
    wantsPerson: "Pede uma pessoa",
  },
} satisfies Record<Language, unknown>;

/** Returns these words in the member's language. */
export function assistantWords(): typeof WORDS.en {
  return WORDS[language.value];
}

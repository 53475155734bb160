import { type Language, language } from "./language.ts";

/** The words of a chat widget's office hours and visitors. They stand apart because one tab alone needs them. */
const WORDS = {
  en: {
    tab: "People",
    hours: "Office hours",
    hoursHelp: "Outside of them the chat says when you are back.",
    timezone: "Time zone",
    day: (day: string) => `${day}, such as 09:00-14:00, 16:00-18:00`,
    holidays: "Closed on these dates, such as 2026-12-25, 2027-01-01",
    followUp: "Replies by e-mail",
    followUpHelp:
      "The chat asks for an e-mail address. The event conversation.follow_up then brings replies that were not read: your system sends them.",
    ask: "Ask after so many minutes without a reply",
    send: "Report a reply that was not read for so many minutes",
    consent: "Visitors must accept a text first",
    consentText: "The text",
    consentLink: "Its page, with https://",
  },
  es: {
    tab: "Personas",
    hours: "Horario de atención",
    hoursHelp: "Fuera de él, el chat dice cuándo volvéis.",
    timezone: "Zona horaria",
    day: (day: string) => `${day}, como 09:00-14:00, 16:00-18:00`,
    holidays: "Cerrado en estas fechas, como 2026-12-25, 2027-01-01",
    followUp: "Respuestas por correo",
    followUpHelp:
      "El chat pide un correo. El evento conversation.follow_up trae después las respuestas no leídas: las envía tu sistema.",
    ask: "Pedirlo tras tantos minutos sin respuesta",
    send: "Avisar de una respuesta no leída en tantos minutos",
    consent: "Los visitantes aceptan antes un texto",
    consentText: "El texto",
    consentLink: "Su página, con https://",
  },
  pt: {
    tab: "Pessoas",
    hours: "Horário de atendimento",
    hoursHelp: "Fora dele, o chat diz quando vocês voltam.",
    timezone: "Fuso horário",
    day: (day: string) => `${day}, como 09:00-14:00, 16:00-18:00`,
    holidays: "Fechado nestas datas, como 2026-12-25, 2027-01-01",
    followUp: "Respostas por e-mail",
    followUpHelp:
      "O chat pede um e-mail. O evento conversation.follow_up traz depois as respostas não lidas: o seu sistema as envia.",
    ask: "Pedir após tantos minutos sem resposta",
    send: "Avisar de uma resposta não lida em tantos minutos",
    consent: "Os visitantes aceitam antes um texto",
    consentText: "O texto",
    consentLink: "A sua página, com https://",
  },
} satisfies Record<Language, unknown>;

/** Returns the words in the member's language. */
export function chatPeopleWords(): typeof WORDS.en {
  return WORDS[language.value];
}

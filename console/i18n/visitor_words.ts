import { type Language, language } from "./language.ts";

/** The words about the visitors of chats. They stand apart because the inbox alone needs them, and the words of all load first. */
const WORDS = {
  en: {
    email: "E-mail, as typed",
    consent: "Accepted",
    rating: "Rating",
    stars: (count: number) => `${count} of 5 stars`,
  },
  es: {
    email: "Correo, sin confirmar",
    consent: "Aceptó",
    rating: "Valoración",
    stars: (count: number) => `${count} de 5 estrellas`,
  },
  pt: {
    email: "E-mail, sem confirmar",
    consent: "Aceitou",
    rating: "Avaliação",
    stars: (count: number) => `${count} de 5 estrelas`,
  },
} satisfies Record<Language, unknown>;

/** Returns the words about visitors in the member's language. */
export function visitorWords(): typeof WORDS.en {
  return WORDS[language.value];
}

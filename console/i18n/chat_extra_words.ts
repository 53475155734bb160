import { type Language, language } from "./language.ts";

/** The words of cards and quick replies. They stand apart because only the inbox needs them, and the words of all load first. */
const WORDS = {
  en: {
    title: "Quick replies and cards",
    text: "Message",
    textHelp: "Not needed where there is a card",
    quickReplies: "Quick replies",
    quickRepliesHelp: "One per line, up to 10. The visitor presses one to send it.",
    card: "Card",
    cardTitle: "Title",
    cardText: "Text of the card",
    image: "Image (https)",
    buttonLabel: (number: number) => `Button ${number}`,
    buttonLink: (number: number) => `Link of button ${number} (https)`,
    missing: "Write a message, or give the card a title",
    offered: (texts: string) => `Offered: ${texts}`,
    send: "Send",
  },
  es: {
    title: "Respuestas rápidas y tarjetas",
    text: "Mensaje",
    textHelp: "No hace falta si hay una tarjeta",
    quickReplies: "Respuestas rápidas",
    quickRepliesHelp: "Una por línea, hasta 10. El visitante pulsa una para enviarla.",
    card: "Tarjeta",
    cardTitle: "Título",
    cardText: "Texto de la tarjeta",
    image: "Imagen (https)",
    buttonLabel: (number: number) => `Botón ${number}`,
    buttonLink: (number: number) => `Enlace del botón ${number} (https)`,
    missing: "Escribe un mensaje o dale un título a la tarjeta",
    offered: (texts: string) => `Ofrecido: ${texts}`,
    send: "Enviar",
  },
  pt: {
    title: "Respostas rápidas e cartões",
    text: "Mensagem",
    textHelp: "Não é preciso se houver um cartão",
    quickReplies: "Respostas rápidas",
    quickRepliesHelp: "Uma por linha, até 10. O visitante toca em uma para enviá-la.",
    card: "Cartão",
    cardTitle: "Título",
    cardText: "Texto do cartão",
    image: "Imagem (https)",
    buttonLabel: (number: number) => `Botão ${number}`,
    buttonLink: (number: number) => `Link do botão ${number} (https)`,
    missing: "Escreva uma mensagem ou dê um título ao cartão",
    offered: (texts: string) => `Oferecido: ${texts}`,
    send: "Enviar",
  },
} satisfies Record<Language, unknown>;

/** Returns the words of cards and quick replies in the member's language. */
export function chatExtraWords(): typeof WORDS.en {
  return WORDS[language.value];
}

import { type Language, language } from "./language.ts";

/** The words of a chat widget's content. They stand apart because only its editor needs them, and the words of all load first. */
const WORDS = {
  en: {
    features: { files: "Visitors can send files", emoji: "Emoji to choose from" },
    quickReplies: "Quick replies at the start",
    quickRepliesHelp: "One per line, up to 10. After a | comes the automatic reply, if there is one.",
    textNames: {} as Record<string, string>,
  },
  es: {
    features: { files: "Los visitantes pueden enviar archivos", emoji: "Emoji para elegir" },
    quickReplies: "Respuestas rápidas al principio",
    quickRepliesHelp: "Una por línea, hasta 10. Tras un | va la respuesta automática, si la hay.",
    textNames: {
      earlier: "Mensajes anteriores",
      attach: "Adjuntar un archivo",
      emoji: "Emoji",
      quick_replies: "Respuestas rápidas",
      menu: "Menú",
      transcript: "Descargar la conversación",
      file_gone: "Archivo no disponible",
      file_too_large: "Archivo demasiado grande",
      file_type: "Tipo de archivo no admitido",
      file_refused: "Archivo no aceptado",
      file_limit: "No se admiten más archivos",
    },
  },
  pt: {
    features: { files: "Os visitantes podem enviar arquivos", emoji: "Emoji para escolher" },
    quickReplies: "Respostas rápidas no início",
    quickRepliesHelp: "Uma por linha, até 10. Depois de um | vem a resposta automática, se houver.",
    textNames: {
      earlier: "Mensagens anteriores",
      attach: "Anexar um arquivo",
      emoji: "Emoji",
      quick_replies: "Respostas rápidas",
      menu: "Menu",
      transcript: "Baixar a conversa",
      file_gone: "Arquivo indisponível",
      file_too_large: "Arquivo grande demais",
      file_type: "Tipo de arquivo não aceito",
      file_refused: "Arquivo não aceito",
      file_limit: "Não se aceitam mais arquivos",
    },
  },
} satisfies Record<Language, { textNames: Record<string, string>; [name: string]: unknown }>;

/** Returns the words of a chat widget's content in the member's language. */
export function chatWidgetWords(): typeof WORDS.en {
  return WORDS[language.value];
}

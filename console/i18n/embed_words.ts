import { type Language, language } from "./language.ts";

/** The words of trying a widget on a page. They stand apart because one tab alone needs them, and the words of all load first. */
const WORDS = {
  en: {
    title: "Test on my page",
    help:
      "Drag this link to your browser's bookmarks bar. Then open any page of your website and press the bookmark. " +
      "The widget appears there for you alone, until you load the page again.",
    link: (name: string) => `Test ${name}`,
    drag: "Drag the link to the bookmarks bar: it works on your website, not here.",
    copy: "Copy the bookmark's address",
    limits:
      "It does not work on a page whose Content-Security-Policy forbids other scripts, or which is not among “Pages that may show it”.",
    refused:
      "The widget cannot be tested on this page: its Content-Security-Policy forbids other scripts, or the widget host is not reached.",
  },
  es: {
    title: "Probar en mi página",
    help:
      "Arrastra este enlace a la barra de marcadores del navegador. Después abre cualquier página de tu web y pulsa el " +
      "marcador. El widget aparece allí solo para ti, hasta que vuelvas a cargar la página.",
    link: (name: string) => `Probar ${name}`,
    drag: "Arrastra el enlace a la barra de marcadores: funciona en tu web, no aquí.",
    copy: "Copiar la dirección del marcador",
    limits:
      "No funciona en una página cuya Content-Security-Policy prohíbe otros scripts, ni en una que no esté entre las páginas que pueden mostrarlo.",
    refused:
      "El widget no se puede probar en esta página: su Content-Security-Policy prohíbe otros scripts, o no se llega al servidor del widget.",
  },
  pt: {
    title: "Testar na minha página",
    help:
      "Arraste este link para a barra de favoritos do navegador. Depois abra qualquer página do seu site e clique no " +
      "favorito. O widget aparece ali só para você, até a página ser carregada de novo.",
    link: (name: string) => `Testar ${name}`,
    drag: "Arraste o link para a barra de favoritos: ele funciona no seu site, não aqui.",
    copy: "Copiar o endereço do favorito",
    limits:
      "Não funciona em uma página cuja Content-Security-Policy proíbe outros scripts, nem em uma que não esteja entre as páginas que podem mostrá-lo.",
    refused:
      "O widget não pode ser testado nesta página: a Content-Security-Policy proíbe outros scripts, ou o servidor do widget não responde.",
  },
} satisfies Record<Language, unknown>;

/** Returns the words in the member's language. */
export function embedWords(): typeof WORDS.en {
  return WORDS[language.value];
}

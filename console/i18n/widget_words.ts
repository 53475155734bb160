import { type Language, language } from "./language.ts";

/** The words of a widget's look. They stand apart because only its screen needs them, and the words of all load first. */
const WORDS = {
  en: {
    appearance: "Light or dark",
    appearances: { light: "Light", dark: "Dark", auto: "As the visitor's device" },
    darkColors: "Colours for dark",
    darkColorsHelp: "They follow your colours until you choose your own.",
    followColors: "Follow the colours again",
    unreadable: (name: string, against: string, ratio: string, needed: string) =>
      `“${name}” is hard to tell from “${against}”: the contrast is ${ratio}, and ${needed} is needed. ` +
      "Visitors see a readable colour instead.",
    use: (color: string) => `Use ${color}`,
    icon: "Icon of the button",
    icons: {
      default: "As usual",
      bubbles: "Two bubbles",
      dots: "Bubble with dots",
      question: "Question mark",
      headset: "Headset",
      mail: "Letter",
      phone: "Telephone",
      sparkles: "Sparkles",
      own: "Your own",
    },
    iconPath: "Your own icon, as an SVG path",
    iconPathHelp: "The d of a path that is drawn as a line, in a box of 24 by 24.",
    logo: "Logo in the title",
    logoHelp: "A picture, at most 36 pixels high when shown. It becomes a part of the configuration.",
    logoBad: "This file is no picture that the browser can read.",
    removeLogo: "Remove the logo",
    proactive: "Greetings",
    proactiveHelp:
      "A message beside the button, on the pages you choose. Each visitor sees at most one per day, and none after opening the widget.",
    proactiveNone: "No greetings yet",
    proactiveText: (language: string) => `Text in ${language}`,
    proactivePath: "On pages",
    proactivePathHelp: "A path such as /pricing; * is any text: /shop/*",
    proactiveDelay: "After seconds",
    addProactive: "Add a greeting",
    removeProactive: "Remove the greeting",
    features: {
      sound: "Play a sound for replies while the page is in the background",
      title_blink: "Show replies in the page's title while it is in the background",
    },
    shownDark: "Preview in dark",
  },
  es: {
    appearance: "Claro u oscuro",
    appearances: { light: "Claro", dark: "Oscuro", auto: "Como el dispositivo del visitante" },
    darkColors: "Colores para oscuro",
    darkColorsHelp: "Siguen tus colores hasta que elijas los tuyos.",
    followColors: "Seguir otra vez los colores",
    unreadable: (name: string, against: string, ratio: string, needed: string) =>
      `«${name}» se distingue mal de «${against}»: el contraste es ${ratio} y hace falta ${needed}. ` +
      "Los visitantes ven un color legible en su lugar.",
    use: (color: string) => `Usar ${color}`,
    icon: "Icono del botón",
    icons: {
      default: "El de siempre",
      bubbles: "Dos globos",
      dots: "Globo con puntos",
      question: "Interrogación",
      headset: "Auriculares",
      mail: "Carta",
      phone: "Teléfono",
      sparkles: "Destellos",
      own: "El tuyo",
    },
    iconPath: "Tu icono, como trazado SVG",
    iconPathHelp: "El d de un trazado dibujado como línea, en una caja de 24 por 24.",
    logo: "Logotipo en el título",
    logoHelp:
      "Una imagen; se muestra con 36 píxeles de alto como máximo. Pasa a ser parte de la configuración.",
    logoBad: "Este archivo no es una imagen que el navegador pueda leer.",
    removeLogo: "Quitar el logotipo",
    proactive: "Saludos",
    proactiveHelp:
      "Un mensaje junto al botón, en las páginas que elijas. Cada visitante ve como mucho uno al día, y ninguno después de abrir el widget.",
    proactiveNone: "Aún no hay saludos",
    proactiveText: (language: string) => `Texto en ${language}`,
    proactivePath: "En las páginas",
    proactivePathHelp: "Una ruta como /precios; * es cualquier texto: /tienda/*",
    proactiveDelay: "Tras segundos",
    addProactive: "Añadir un saludo",
    removeProactive: "Quitar el saludo",
    features: {
      sound: "Sonar al llegar una respuesta si la página está en segundo plano",
      title_blink: "Mostrar las respuestas en el título de la página si está en segundo plano",
    },
    shownDark: "Vista previa en oscuro",
  },
  pt: {
    appearance: "Claro ou escuro",
    appearances: { light: "Claro", dark: "Escuro", auto: "Como o dispositivo do visitante" },
    darkColors: "Cores para escuro",
    darkColorsHelp: "Seguem suas cores até que você escolha outras.",
    followColors: "Seguir as cores outra vez",
    unreadable: (name: string, against: string, ratio: string, needed: string) =>
      `“${name}” se distingue mal de “${against}”: o contraste é ${ratio}, e é preciso ${needed}. ` +
      "Os visitantes veem uma cor legível no lugar.",
    use: (color: string) => `Usar ${color}`,
    icon: "Ícone do botão",
    icons: {
      default: "O de sempre",
      bubbles: "Dois balões",
      dots: "Balão com pontos",
      question: "Interrogação",
      headset: "Fone de ouvido",
      mail: "Carta",
      phone: "Telefone",
      sparkles: "Brilhos",
      own: "O seu",
    },
    iconPath: "Seu ícone, como caminho SVG",
    iconPathHelp: "O d de um caminho desenhado como linha, numa caixa de 24 por 24.",
    logo: "Logotipo no título",
    logoHelp: "Uma imagem; aparece com no máximo 36 pixels de altura. Passa a ser parte da configuração.",
    logoBad: "Este arquivo não é uma imagem que o navegador consiga ler.",
    removeLogo: "Remover o logotipo",
    proactive: "Saudações",
    proactiveHelp:
      "Uma mensagem ao lado do botão, nas páginas que você escolher. Cada visitante vê no máximo uma por dia, e nenhuma depois de abrir o widget.",
    proactiveNone: "Nenhuma saudação ainda",
    proactiveText: (language: string) => `Texto em ${language}`,
    proactivePath: "Nas páginas",
    proactivePathHelp: "Um caminho como /precos; * é qualquer texto: /loja/*",
    proactiveDelay: "Depois de segundos",
    addProactive: "Adicionar uma saudação",
    removeProactive: "Remover a saudação",
    features: {
      sound: "Tocar um som ao chegar uma resposta se a página está em segundo plano",
      title_blink: "Mostrar as respostas no título da página se ela está em segundo plano",
    },
    shownDark: "Prévia no escuro",
  },
} satisfies Record<Language, unknown>;

/** Returns the words of a widget's look in the member's language. */
export function widgetWords(): typeof WORDS.en {
  return WORDS[language.value];
}

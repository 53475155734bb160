import { defineWords } from "../../i18n/language.ts";

export const words = defineWords({
  preview: "On the phone",
  previewHelp: "With the example values of the review.",
  correct: "Correct and resubmit",
  copy: "Copy as a new one",
  send: "New campaign",
  history: "Review",
  submitted: "Submitted",
  setByHand: "Set by hand",
  by: (who: string) => `by ${who}`,
  actors: {
    user: "a member",
    key: "the access key",
    cli: "the command line",
    platform: "the platform",
  } as Record<
    string,
    string
  >,
  held: (n: string) => n === "1" ? "1 campaign waits for it" : `${n} campaigns wait for it`,
  facts: "Facts",
  values: "What a message supplies",
  valuesHelp:
    "A campaign fills these from the columns of its file. With the API, they are in components_push.",
  value: "Value",
  expects: "Takes",
  anyText: "text",
  example: "Example",
  optional: "optional",
  noValues: "Nothing: the text is the same for everybody.",
  id: "Id",
  providerId: "Id at the platform",
  account: "Business account",
  pending: "The platform reviews it",
  pendingHelp: "Usually within minutes, at most a day. This page changes by itself.",
  rejected: "The platform rejected it",
  disabled: "The platform paused or disabled it",
  disabledHelp:
    "Campaigns with it wait. A pause ends by itself after some hours; the quality shows how people " +
    "took it. Send another text meanwhile.",
  reasons: {
    INVALID_FORMAT:
      "A variable or a brace is not in order. Number variables {1}, {2}, …, and put text around them.",
    TAG_CONTENT_MISMATCH:
      "The text advertises, but its category does not. Choose Marketing, or leave out what " +
      "promotes something.",
    INCORRECT_CATEGORY: "The text does not fit its category. Choose the one that does.",
    SCAM: "It looks like fraud. Link to your own address in full, not to a shortened one.",
    ABUSIVE_CONTENT:
      "It asks for something that must not be asked for, such as a card or an identity number, or " +
      "offends. Leave that out.",
    PROMOTIONAL: "The text advertises. Choose Marketing.",
  } as Record<string, string>,
  otherReason: "Read the platform's rules for templates, change the text, and submit it under a new name.",
  resubmitHelp: "A rejected text keeps its name, so the corrected one is submitted under another.",
  lowQuality: "People block or report this message",
  lowQualityHelp:
    "Send it to fewer people, and make clear why they receive it. If it stays so, the platform pauses it.",
}, {
  preview: "En el teléfono",
  previewHelp: "Con los valores de ejemplo de la revisión.",
  correct: "Corregir y volver a enviar",
  copy: "Copiar como nueva",
  send: "Nueva campaña",
  history: "Revisión",
  submitted: "Enviada a revisión",
  setByHand: "Fijado a mano",
  by: (who) => `por ${who}`,
  actors: {
    user: "un miembro",
    key: "la clave de acceso",
    cli: "la línea de comandos",
    platform: "la plataforma",
  },
  held: (n) => n === "1" ? "1 campaña la espera" : `${n} campañas la esperan`,
  facts: "Datos",
  values: "Lo que aporta cada mensaje",
  valuesHelp: "Una campaña los toma de las columnas de su archivo. Con la API van en components_push.",
  value: "Valor",
  expects: "Admite",
  anyText: "texto",
  example: "Ejemplo",
  optional: "opcional",
  noValues: "Nada: el texto es igual para todos.",
  id: "Id",
  providerId: "Id en la plataforma",
  account: "Cuenta de empresa",
  pending: "La plataforma la está revisando",
  pendingHelp: "Suele tardar minutos, como mucho un día. Esta página cambia sola.",
  rejected: "La plataforma la rechazó",
  disabled: "La plataforma la pausó o la desactivó",
  disabledHelp:
    "Sus campañas esperan. Una pausa acaba sola en unas horas; la calidad indica cómo la recibió la gente. " +
    "Envía otro texto mientras tanto.",
  reasons: {
    INVALID_FORMAT:
      "Una variable o una llave no está bien. Numera las variables {1}, {2}, … y ponles texto alrededor.",
    TAG_CONTENT_MISMATCH:
      "El texto hace publicidad y su categoría no es esa. Elige Marketing o quita lo que " +
      "promocione algo.",
    INCORRECT_CATEGORY: "El texto no corresponde a su categoría. Elige la adecuada.",
    SCAM: "Parece un fraude. Enlaza tu propia dirección completa, no una acortada.",
    ABUSIVE_CONTENT:
      "Pide algo que no se debe pedir, como un número de tarjeta o de identidad, u ofende. Quítalo.",
    PROMOTIONAL: "El texto hace publicidad. Elige Marketing.",
  },
  otherReason: "Lee las normas de la plataforma para plantillas, cambia el texto y envíalo con otro nombre.",
  resubmitHelp: "Un texto rechazado conserva su nombre, así que el corregido se envía con otro.",
  lowQuality: "Hay personas que bloquean o denuncian este mensaje",
  lowQualityHelp:
    "Envíalo a menos personas y deja claro por qué lo reciben. Si sigue así, la plataforma la pausará.",
});

/** The advice about failures, in Spanish: for what the dispatcher does about a code, and for single codes. */
export const ADVICE_ES = {
  resend: "Reenvía: el fallo fue de la plataforma y duró más que nuestros intentos",
  resendSoon: "Reenvía dentro de unos minutos",
  slower: "Baja la velocidad del remitente y reenvía",
  freeLines: "Reenvía cuando haya menos llamadas en curso",
  account: "Corrígelo en la cuenta del remitente en la plataforma, reactiva el remitente y reenvía",
  appeal: "Reclama a la plataforma y reenvía cuando la cuenta quede libre",
  template: "Corrige la plantilla y reenvía cuando esté aprobada",
  compare: "Compara los valores con la plantilla tal como la tiene la plataforma y haz un envío nuevo",
  correct: "Corrige la petición y vuelve a enviarla",
  parameter: "Corrige los valores y haz un envío nuevo; el motivo nombra el parámetro",
  values: "Corrige los valores y haz un envío nuevo",
  unblock: "Desbloquea al destinatario en la plataforma y reenvía",
  channelOrUtility: "Contacta con la persona por otro canal, o envía una plantilla de utilidad",
  country: "Deja fuera a los destinatarios de este país",
  otherNumber: "Envía a un número que no sea el del remitente",
  checkNumber: "Comprueba el número, o contacta con la persona por otro canal",
  testList: "Añade el número a la lista del número de prueba en la plataforma y reenvía",
  sendTemplate: "Envía una plantilla",
  tomorrow: "Espera un día y reenvía",
  optOutRecorded: "Deja en paz a la persona: la baja está registrada",
  file: "Haz que el archivo esté disponible en su dirección, en un tipo que WhatsApp admita, y reenvía",
  useNumber: "Envía al número de la persona y no a su id de usuario",
  shorten: "Acorta los valores y haz un envío nuevo",
  plainText: "Quita de los valores saltos de línea, tabuladores y espacios seguidos, y haz un envío nuevo",
  compareReason: "Compara los valores con la plantilla; el motivo puede decir más",
  agent: "Corrige el agente en la plataforma y reenvía",
} as const;

/** The meaning of a code, and what to do about it. */
export type Explained = readonly [meaning: string, whatToDo: string];

import { defineWords } from "../../i18n/language.ts";

export const words = defineWords({
  title: "Senders",
  number: "Number",
  channel: "Channel",
  status: "Status",
  rate: "Speed",
  perSecond: (n: string) => `${n}/s`,
  callsAtATime: (n: string) => `${n} ${n === "1" ? "call" : "calls"} at a time`,
  slowed: (now: string) => `slowed to ${now}`,
  quality: "Quality",
  qualities: { GREEN: "High", YELLOW: "Medium", RED: "Low", UNKNOWN: "Not rated" } as Record<string, string>,
  limit: "Limit",
  limitValue: (n: string) => `${n} people per day`,
  unlimited: "Unlimited",
  reason: "Why it is stopped",
  none: "No senders yet",
  noneHelp: "A sender is a number of yours that messages and calls come from. Its token is a secret of the " +
    "platform, so it is added on the command line:",
  noneCommand: "deno task admin sender create --help",
  noneLike: "No sender fits these filters",
}, {
  title: "Remitentes",
  number: "Número",
  channel: "Canal",
  status: "Estado",
  rate: "Velocidad",
  perSecond: (n) => `${n}/s`,
  callsAtATime: (n) => `${n} ${n === "1" ? "llamada" : "llamadas"} a la vez`,
  slowed: (now) => `frenado a ${now}`,
  quality: "Calidad",
  qualities: { GREEN: "Alta", YELLOW: "Media", RED: "Baja", UNKNOWN: "Sin valorar" },
  limit: "Límite",
  limitValue: (n) => `${n} personas al día`,
  unlimited: "Sin límite",
  reason: "Por qué está detenido",
  none: "Aún no hay remitentes",
  noneHelp:
    "Un remitente es un número tuyo desde el que salen mensajes y llamadas. Su token es un secreto de la " +
    "plataforma, así que se añade en la línea de comandos:",
  noneCommand: "deno task admin sender create --help",
  noneLike: "Ningún remitente cumple estos filtros",
});

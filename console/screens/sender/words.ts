import { defineWords } from "../../i18n/language.ts";

export const words = defineWords({
  resume: "Resume",
  resumed: "The sender sends again.",
  changeRate: "Change the speed",
  rateTitle: "How fast it sends",
  rateLabel: "Messages per second",
  callsLabel: "Calls at a time",
  rateHelp:
    "The platform allows most numbers 80 per second. Faster than it allows, it refuses, and the sender " +
    "slows down by itself.",
  callsHelp: "As many as your plan at the voice platform allows.",
  rateWrong: (max: string) => `A whole number from 1 to ${max}`,
  save: "Save",
  rateSaved: "The speed is changed.",
  waiting: "Waiting",
  waitingNote: "have not left",
  ongoing: "Ongoing calls",
  speed: "Speed",
  facts: "Facts",
  limit: "People per day",
  limitHelp:
    "People whom you may write to first within 24 hours. The platform raises it while quality is good.",
  providerId: "Id at the platform",
  account: "Business account",
  token: "Token",
  hasToken: "Stored",
  noToken: "None: nothing can be sent. Add it on the command line.",
  marketing: "Marketing goes by",
  endpoints: { messages: "the ordinary way", marketing_messages: "the platform's marketing service" },
  notice: "The platform's last warning",
  added: "Added",
  stopped: "Stopped",
  stoppedAt: "since",
  until: "until",
  lockedHelp: "The platform locked the account, so requests are refused. Appeal in the platform's business " +
    "manager. When it lifts the lock, the sender goes on by itself.",
  untilHelp: "The platform's restriction ends by itself, and the sender goes on then. What waits is kept.",
  stoppedHelp:
    "Correct the reason in the account at the platform, then resume. What waits is kept meanwhile, " +
    "up to its time to live.",
  tokenHelp: "Make a new token at the platform and store it on the command line; then resume:",
  tokenCommand: (id: string) => `OUTBOUND_SENDER_TOKEN=… deno task admin sender update ${id}`,
  blockedHelp: "What waits is kept, and leaves by itself when that is over.",
  slowed: "The platform slows this number down",
  slowedHelp:
    "Nothing to do: it sent faster than the platform takes. The speed rises again by itself. If it " +
    "happens often, set a lower speed.",
  lowQuality: "People block or report what this number sends",
  lowQualityHelp:
    "Write to fewer people, and only to those who agreed. If it stays so, the platform lowers the " +
    "limit.",
  campaigns: "Campaigns under way",
  newCampaign: "New campaign",
}, {
  resume: "Reanudar",
  resumed: "El remitente vuelve a enviar.",
  changeRate: "Cambiar la velocidad",
  rateTitle: "Con qué rapidez envía",
  rateLabel: "Mensajes por segundo",
  callsLabel: "Llamadas a la vez",
  rateHelp:
    "La plataforma permite 80 por segundo a casi todos los números. Si se supera, rechaza mensajes y el " +
    "remitente se frena solo.",
  callsHelp: "Tantas como permita tu plan en la plataforma de voz.",
  rateWrong: (max) => `Un número entero de 1 a ${max}`,
  save: "Guardar",
  rateSaved: "La velocidad ha cambiado.",
  waiting: "En espera",
  waitingNote: "no han salido",
  ongoing: "Llamadas en curso",
  speed: "Velocidad",
  facts: "Datos",
  limit: "Personas al día",
  limitHelp:
    "Personas a las que puedes escribir primero en 24 horas. La plataforma lo sube si la calidad es buena.",
  providerId: "Id en la plataforma",
  account: "Cuenta de empresa",
  token: "Token",
  hasToken: "Guardado",
  noToken: "Ninguno: no se puede enviar nada. Añádelo en la línea de comandos.",
  marketing: "El marketing va por",
  endpoints: { messages: "la vía normal", marketing_messages: "el servicio de marketing de la plataforma" },
  notice: "Último aviso de la plataforma",
  added: "Añadido",
  stopped: "Detenido",
  stoppedAt: "desde",
  until: "hasta",
  lockedHelp:
    "La plataforma bloqueó la cuenta y rechaza las solicitudes. Recurre en el administrador comercial. " +
    "Cuando lo levante, el remitente seguirá solo.",
  untilHelp:
    "La restricción de la plataforma acaba sola y el remitente seguirá entonces. Lo que espera se conserva.",
  stoppedHelp:
    "Corrige la causa en la cuenta de la plataforma y reanuda. Lo que espera se conserva mientras no " +
    "caduque.",
  tokenHelp: "Crea un token nuevo en la plataforma y guárdalo en la línea de comandos; después reanuda:",
  tokenCommand: (id) => `OUTBOUND_SENDER_TOKEN=… deno task admin sender update ${id}`,
  blockedHelp: "Lo que espera se conserva y sale solo cuando eso termine.",
  slowed: "La plataforma frena este número",
  slowedHelp:
    "No hay que hacer nada: envió más rápido de lo que admite. La velocidad vuelve a subir sola. Si pasa a " +
    "menudo, fija una menor.",
  lowQuality: "Hay personas que bloquean o denuncian lo que envía este número",
  lowQualityHelp:
    "Escribe a menos personas y solo a quienes aceptaron. Si sigue así, la plataforma bajará el límite.",
  campaigns: "Campañas en curso",
  newCampaign: "Nueva campaña",
});

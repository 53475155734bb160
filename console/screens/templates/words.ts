import { defineWords } from "../../i18n/language.ts";

export const words = defineWords({
  title: "Templates",
  name: "Name",
  language: "Language",
  category: "Category",
  categories: { UTILITY: "Utility", MARKETING: "Marketing", AUTHENTICATION: "Authentication" } as Record<
    string,
    string
  >,
  status: "State",
  quality: "Quality",
  qualities: { GREEN: "High", YELLOW: "Medium", RED: "Low", UNKNOWN: "Not rated" } as Record<string, string>,
  held: "Held",
  reason: "Reason",
  updated: "Changed",
  create: "New template",
  sync: "Update from the platform",
  synced: (templates: string, changed: string) =>
    changed === "0" ? `${templates} templates, all as here.` : `${templates} templates, ${changed} changed.`,
  notSynced: (account: string, error: string) => `The account ${account} cannot be read: ${error}`,
  none: "No templates yet",
  noneHelp:
    "A template is the text that starts a conversation. The platform reviews it once, and then you send it " +
    "to as many people as you like. Those that exist at the platform come with an update.",
  noneLike: "No template fits these filters",
}, {
  title: "Plantillas",
  name: "Nombre",
  language: "Idioma",
  category: "Categoría",
  categories: { UTILITY: "Utilidad", MARKETING: "Marketing", AUTHENTICATION: "Autenticación" },
  status: "Estado",
  quality: "Calidad",
  qualities: { GREEN: "Alta", YELLOW: "Media", RED: "Baja", UNKNOWN: "Sin valorar" },
  held: "Retenidas",
  reason: "Motivo",
  updated: "Cambio",
  create: "Nueva plantilla",
  sync: "Actualizar desde la plataforma",
  synced: (templates, changed) =>
    changed === "0"
      ? `${templates} plantillas, todas como aquí.`
      : `${templates} plantillas, ${changed} cambiadas.`,
  notSynced: (account, error) => `No se puede leer la cuenta ${account}: ${error}`,
  none: "Aún no hay plantillas",
  noneHelp:
    "Una plantilla es el texto que inicia una conversación. La plataforma la revisa una vez y después la envías " +
    "a cuantas personas quieras. Las que ya existen en la plataforma llegan al actualizar.",
  noneLike: "Ninguna plantilla cumple estos filtros",
});

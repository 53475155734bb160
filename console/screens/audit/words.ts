import { defineWords } from "../../words/language.ts";

interface AuditWords {
  title: string;
  about: string;
  action: string;
  actor: string;
  subject: string;
  anId: string;
  change: string;
  at: string;
  cli: string;
  platform: string;
  key: string;
  user: string;
  none: string;
  noneHelp: string;
  noneLike: string;
  noFields: string;
  field: string;
  before: string;
  after: string;
  changed: string;
  allByThem: string;
  allAboutIt: string;
  open: string;
  /** By the two parts of an action. */
  nouns: Record<string, string>;
  verbs: Record<string, string>;
}

export const words = defineWords<AuditWords>({
  title: "Audit",
  about: "Every change of a member, a key or an operator, newest first.",
  action: "Action",
  actor: "Who",
  subject: "Of what",
  anId: "an id",
  change: "Change",
  at: "Time",
  cli: "Command line",
  platform: "Platform",
  key: "Key",
  user: "User",
  none: "Nothing was changed yet",
  noneHelp: "A change here or on the command line appears in this list.",
  noneLike: "No change fits these filters",
  noFields: "It has no fields to show.",
  field: "Field",
  before: "Before",
  after: "After",
  changed: "changed; its text is not kept here",
  allByThem: "all by them",
  allAboutIt: "all about it",
  open: "Open",
  nouns: {
    agent: "Agent",
    campaign: "Campaign",
    company: "Settings",
    consent: "Consent",
    contact: "Contact",
    contact_rules: "Rules",
    conversation: "Conversation",
    delivery: "Delivery",
    handoff: "Handoff",
    key: "Access key",
    knowledge: "Document",
    member: "Member",
    publishable_key: "Key for web pages",
    sender: "Sender",
    suppression: "Suppression",
    template: "Template",
    templates: "Templates",
    upload: "Upload",
    webhook: "Webhook",
    widget: "Widget",
  },
  verbs: {
    activated: "activated",
    added: "added",
    assigned: "assigned",
    cancelled: "cancelled",
    closed: "closed",
    created: "created",
    disabled: "disabled",
    enabled: "enabled",
    erased: "erased",
    exported: "exported",
    joined: "joined",
    lifted: "lifted",
    paused: "paused",
    recorded: "recorded",
    removed: "removed",
    replayed: "replayed",
    replied: "replied",
    resent: "resent",
    resumed: "resumed",
    revoked: "revoked",
    rotated: "rotated",
    secret_rotated: "secret rotated",
    started: "started",
    status_set: "state set",
    stopped: "switched off",
    submitted: "submitted",
    suppressed: "suppressed",
    synced: "updated",
    tested: "tested",
    updated: "changed",
  },
}, {
  title: "Auditoría",
  about: "Cada cambio de un miembro, una clave o un operador, el más reciente primero.",
  action: "Acción",
  actor: "Quién",
  subject: "De qué",
  anId: "un id",
  change: "Cambio",
  at: "Hora",
  cli: "Línea de comandos",
  platform: "Plataforma",
  key: "Clave",
  user: "Usuario",
  none: "Aún no se cambió nada",
  noneHelp: "Un cambio aquí o en la línea de comandos aparece en esta lista.",
  noneLike: "Ningún cambio cumple estos filtros",
  noFields: "No tiene campos que mostrar.",
  field: "Campo",
  before: "Antes",
  after: "Después",
  changed: "cambió; su texto no se guarda aquí",
  allByThem: "todo lo suyo",
  allAboutIt: "todo sobre ello",
  open: "Abrir",
  nouns: {
    agent: "Agente:",
    campaign: "Campaña:",
    company: "Preferencias:",
    consent: "Consentimiento:",
    contact: "Contacto:",
    contact_rules: "Reglas:",
    conversation: "Conversación:",
    delivery: "Entrega:",
    handoff: "Traspaso:",
    key: "Clave de acceso:",
    knowledge: "Documento:",
    member: "Miembro:",
    publishable_key: "Clave para páginas web:",
    sender: "Remitente:",
    suppression: "Exclusión:",
    template: "Plantilla:",
    templates: "Plantillas:",
    upload: "Carga:",
    webhook: "Webhook:",
    widget: "Widget:",
  },
  verbs: {
    activated: "activar",
    added: "añadir",
    assigned: "asignar",
    cancelled: "cancelar",
    closed: "cerrar",
    created: "crear",
    disabled: "desactivar",
    enabled: "activar",
    erased: "borrar",
    exported: "exportar",
    joined: "unirse",
    lifted: "levantar",
    paused: "pausar",
    recorded: "registrar",
    removed: "quitar",
    replayed: "entregar de nuevo",
    replied: "responder",
    resent: "reenviar",
    resumed: "reanudar",
    revoked: "revocar",
    rotated: "renovar",
    secret_rotated: "renovar el secreto",
    started: "empezar",
    status_set: "fijar el estado",
    stopped: "apagar",
    submitted: "presentar",
    suppressed: "excluir",
    synced: "actualizar",
    tested: "probar",
    updated: "cambiar",
  },
});

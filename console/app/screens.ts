import type { ComponentType } from "preact";
import type { Role } from "../data/company.ts";
import type { Text } from "../i18n/language.ts";

/** The parameters of a screen's address, by their names in `path`. */
export type Params = Record<string, string>;

export interface Screen {
  /** Below the company: `campaigns/:campaign_id`. */
  path: string;
  title: Text;
  /** In the navigation, under this group; left out for what a list leads to. */
  group?: keyof typeof GROUPS;
  /** The least role that sees it; everybody if left out. */
  role?: Role;
  /** After `g`: the shortcut that leads here. */
  key?: string;
  /** The screen's file, which is loaded when it is first shown. Its default export is the component. */
  load: () => Promise<{ default: ComponentType<{ params: Params }> }>;
}

/** The groups of the navigation, in their order. */
export const GROUPS = {
  sending: { en: "Sending", es: "Envíos" },
  people: { en: "People", es: "Personas" },
  set_up: { en: "Set-up", es: "Ajustes" },
} satisfies Record<string, Text>;

/** Every screen. A new one is a line here and a folder in `screens/`; README.md shows how. */
export const SCREENS: Screen[] = [
  {
    path: "overview",
    title: { en: "Overview", es: "Resumen" },
    group: "sending",
    key: "o",
    load: () => import("../screens/overview/overview.tsx"),
  },
  {
    path: "compose",
    title: { en: "New campaign", es: "Nueva campaña" },
    group: "sending",
    role: "operator",
    key: "n",
    load: () => import("../screens/compose/compose.tsx"),
  },
  {
    path: "campaigns",
    title: { en: "Campaigns", es: "Campañas" },
    group: "sending",
    key: "c",
    load: () => import("../screens/campaigns/campaigns.tsx"),
  },
  {
    path: "campaigns/:campaign_id",
    title: { en: "Campaign", es: "Campaña" },
    load: () => import("../screens/campaign/campaign.tsx"),
  },
  {
    path: "templates",
    title: { en: "Templates", es: "Plantillas" },
    group: "sending",
    key: "t",
    load: () => import("../screens/templates/templates.tsx"),
  },
  {
    path: "templates/new",
    title: { en: "New template", es: "Nueva plantilla" },
    role: "operator",
    load: () => import("../screens/new_template/new_template.tsx"),
  },
  {
    path: "templates/:template_id",
    title: { en: "Template", es: "Plantilla" },
    load: () => import("../screens/template/template.tsx"),
  },
  {
    path: "senders",
    title: { en: "Senders", es: "Remitentes" },
    group: "sending",
    key: "s",
    load: () => import("../screens/senders/senders.tsx"),
  },
  {
    path: "senders/:sender_id",
    title: { en: "Sender", es: "Remitente" },
    load: () => import("../screens/sender/sender.tsx"),
  },
  {
    path: "inbox",
    title: { en: "Inbox", es: "Bandeja" },
    group: "people",
    key: "i",
    load: () => import("../screens/inbox/inbox.tsx"),
  },
  {
    path: "contacts",
    title: { en: "Contacts", es: "Contactos" },
    group: "people",
    key: "p",
    load: () => import("../screens/contacts/contacts.tsx"),
  },
  {
    path: "contacts/:address",
    title: { en: "Contact", es: "Contacto" },
    load: () => import("../screens/contact/contact.tsx"),
  },
  {
    path: "calls",
    title: { en: "Calls", es: "Llamadas" },
    group: "people",
    key: "l",
    load: () => import("../screens/calls/calls.tsx"),
  },
  {
    path: "calls/:notification_id",
    title: { en: "Call", es: "Llamada" },
    load: () => import("../screens/call/call.tsx"),
  },
  {
    path: "webhooks",
    title: { en: "Webhook", es: "Webhook" },
    group: "set_up",
    key: "w",
    load: () => import("../screens/webhooks/webhooks.tsx"),
  },
  {
    path: "keys",
    title: { en: "Keys and usage", es: "Claves y uso" },
    group: "set_up",
    key: "k",
    load: () => import("../screens/keys/keys.tsx"),
  },
  {
    path: "widgets",
    title: { en: "Widgets", es: "Widgets" },
    group: "set_up",
    load: () => import("../screens/widgets/widgets.tsx"),
  },
  {
    path: "widgets/:widget_id",
    title: { en: "Widget", es: "Widget" },
    load: () => import("../screens/widget/widget.tsx"),
  },
  {
    path: "knowledge",
    title: { en: "Knowledge", es: "Conocimiento" },
    group: "set_up",
    load: () => import("../screens/knowledge/knowledge.tsx"),
  },
  {
    path: "members",
    title: { en: "Members", es: "Miembros" },
    group: "set_up",
    role: "owner",
    key: "m",
    load: () => import("../screens/members/members.tsx"),
  },
  {
    path: "settings",
    title: { en: "Settings", es: "Preferencias" },
    group: "set_up",
    load: () => import("../screens/settings/settings.tsx"),
  },
  {
    path: "audit",
    title: { en: "Audit", es: "Auditoría" },
    group: "set_up",
    key: "u",
    load: () => import("../screens/audit/audit.tsx"),
  },
  {
    path: "account",
    title: { en: "Your account", es: "Tu cuenta" },
    load: () => import("../screens/account/account.tsx"),
  },
];

/** Returns the screen at a path below the company, and the parameters in it. */
export function findScreen(path: string[]): { screen: Screen; params: Params } | undefined {
  for (const screen of SCREENS) {
    const params = paramsOf(screen.path.split("/"), path);
    if (params) return { screen, params };
  }
}

function paramsOf(pattern: string[], path: string[]): Params | undefined {
  if (pattern.length !== path.length) return undefined;
  const params: Params = {};
  for (const [index, part] of pattern.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = path[index]!;
    else if (part !== path[index]) return undefined;
  }
  return params;
}

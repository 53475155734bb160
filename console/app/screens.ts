import type { ComponentType } from "preact";
import type { Role } from "../data/company.ts";
import type { Text } from "../words/language.ts";

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

import type { ComponentType } from "preact";
import type { Role } from "../data/company.ts";
import type { IconName } from "../components/icon.tsx";
import type { Words } from "../i18n/en.ts";

/** The parameters of a screen's address, by their names in `path`. */
export type Params = Record<string, string>;

/** A part of the page with a file of its own. */
export interface Part {
  /** The file, which is loaded when it is first shown. Its default export is the component. */
  load: () => Promise<{ default: ComponentType<{ params: Params }> }>;
}

interface Address extends Part {
  /** Below the company: `campaigns/:campaign_id`. The words have its title. */
  path: keyof Words["screens"];
  /** The least role that sees it; every member if left out. */
  role?: Role;
  /** A test company has nothing of the kind. */
  isOfLive?: boolean;
  /** After `g`: the shortcut that leads here. */
  key?: string;
}

/** Where the navigation has it. */
interface Place {
  group: keyof Words["groups"];
  /** Beside its title. */
  icon: IconName;
}

/** A screen that the navigation has, or one that a list leads to. */
export type Screen = Address & (Place | { [Key in keyof Place]?: undefined });

/** The groups of the navigation, in their order. */
export const GROUPS: (keyof Words["groups"])[] = ["sending", "people", "set_up"];

/** Every screen of a company. A new one is a line here and a folder in `screens/`; README.md shows how. */
export const SCREENS: Screen[] = [
  {
    path: "overview",
    group: "sending",
    icon: "home",
    key: "o",
    load: () => import("../screens/overview/overview.tsx"),
  },
  {
    path: "compose",
    isOfLive: true,
    group: "sending",
    icon: "send",
    role: "operator",
    key: "n",
    load: () => import("../screens/compose/compose.tsx"),
  },
  {
    path: "campaigns",
    group: "sending",
    icon: "campaign",
    key: "c",
    load: () => import("../screens/campaigns/campaigns.tsx"),
  },
  {
    path: "campaigns/:campaign_id",
    load: () => import("../screens/campaign/campaign.tsx"),
  },
  {
    path: "templates",
    group: "sending",
    icon: "page",
    key: "t",
    load: () => import("../screens/templates/templates.tsx"),
  },
  {
    path: "templates/new",
    isOfLive: true,
    role: "operator",
    load: () => import("../screens/new_template/new_template.tsx"),
  },
  {
    path: "templates/:template_id",
    load: () => import("../screens/template/template.tsx"),
  },
  {
    path: "senders",
    isOfLive: true,
    group: "sending",
    icon: "phone",
    key: "s",
    load: () => import("../screens/senders/senders.tsx"),
  },
  {
    path: "senders/:sender_id",
    isOfLive: true,
    load: () => import("../screens/sender/sender.tsx"),
  },
  {
    path: "inbox",
    isOfLive: true,
    group: "people",
    icon: "inbox",
    key: "i",
    load: () => import("../screens/inbox/inbox.tsx"),
  },
  {
    path: "contacts",
    group: "people",
    icon: "people",
    key: "p",
    load: () => import("../screens/contacts/contacts.tsx"),
  },
  {
    path: "contacts/import",
    role: "operator",
    load: () => import("../screens/contacts/import/import.tsx"),
  },
  {
    path: "contacts/:address",
    load: () => import("../screens/contact/contact.tsx"),
  },
  {
    path: "lists",
    group: "people",
    icon: "list",
    load: () => import("../screens/lists/lists.tsx"),
  },
  {
    path: "lists/new",
    role: "operator",
    load: () => import("../screens/list/new_list.tsx"),
  },
  {
    path: "lists/:list_id",
    load: () => import("../screens/list/list.tsx"),
  },
  {
    path: "calls",
    isOfLive: true,
    group: "people",
    icon: "call",
    key: "l",
    load: () => import("../screens/calls/calls.tsx"),
  },
  {
    path: "calls/:notification_id",
    isOfLive: true,
    load: () => import("../screens/call/call.tsx"),
  },
  {
    path: "webhooks",
    group: "set_up",
    icon: "link",
    key: "w",
    load: () => import("../screens/webhooks/webhooks.tsx"),
  },
  {
    path: "webhooks/:endpoint_id",
    isOfLive: true,
    load: () => import("../screens/webhooks/further_webhook.tsx"),
  },
  {
    path: "keys",
    group: "set_up",
    icon: "key",
    key: "k",
    load: () => import("../screens/keys/keys.tsx"),
  },
  {
    path: "keys/:key_id",
    role: "owner",
    load: () => import("../screens/keys/key_screen.tsx"),
  },
  {
    path: "widgets",
    isOfLive: true,
    group: "set_up",
    icon: "chat",
    load: () => import("../screens/widgets/widgets.tsx"),
  },
  {
    path: "widgets/:widget_id",
    isOfLive: true,
    load: () => import("../screens/widget/widget.tsx"),
  },
  {
    path: "knowledge",
    isOfLive: true,
    group: "set_up",
    icon: "book",
    load: () => import("../screens/knowledge/knowledge.tsx"),
  },
  {
    path: "members",
    isOfLive: true,
    group: "set_up",
    icon: "user",
    role: "owner",
    key: "m",
    load: () => import("../screens/members/members.tsx"),
  },
  {
    path: "settings",
    group: "set_up",
    icon: "sliders",
    load: () => import("../screens/settings/settings.tsx"),
  },
  {
    path: "audit",
    group: "set_up",
    icon: "clock",
    key: "u",
    load: () => import("../screens/audit/audit.tsx"),
  },
  {
    path: "account",
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

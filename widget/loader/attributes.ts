import { parseUrl } from "../shared/parse_url.ts";
import { type Placement, PLACEMENTS } from "../shared/positions.ts";
import { warn } from "../shared/warn.ts";

export type Mode = "chat" | "voice";

/** What the `data-…` attributes of the script say. */
export interface Attributes {
  mode: Mode;
  customer: string;
  widget: string;
  lang: string | undefined;
  api: string | undefined;
  showClose: boolean;
  open: boolean;
  placement: Placement | undefined;
  label: string | undefined;
}

type Value = string | null | undefined;

/** Reads all attributes; undefined when one is missing that nothing can stand in for. Never throws. */
export function readAttributes(data: Record<string, Value>): Attributes | undefined {
  const customer = parseKey(data.customer);
  const widget = parseUuid(data.widget);
  if (customer === undefined || widget === undefined) return undefined;
  return {
    customer,
    widget,
    mode: parseMode(data.mode),
    lang: parseLanguage(data.lang),
    api: parseApi(data.api),
    showClose: parseFlag("data-show-close", data.showClose, true),
    open: parseFlag("data-open", data.open, false),
    placement: parsePlacement(data.position),
    label: parseLabel(data.label),
  };
}

/** `chat` unless it says `voice`. */
export function parseMode(value: Value): Mode {
  const mode = value?.trim().toLowerCase() || "chat";
  if (mode === "chat" || mode === "voice") return mode;
  warn(`data-mode takes chat or voice; chat is taken`);
  return "chat";
}

/** A key is never quoted in a warning: consoles are copied into tickets. */
export function parseKey(value: Value): string | undefined {
  const key = value?.trim();
  if (key && /^[\w.~-]{8,200}$/.test(key)) return key;
  warn("data-customer must be the company's key, best a publishable one (pk_…): no widget is shown");
  return undefined;
}

export function parseUuid(value: Value): string | undefined {
  const id = value?.trim().toLowerCase();
  if (id && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  warn("data-widget must be the id of a widget, a UUID: no widget is shown");
  return undefined;
}

/** A language tag such as `es` or `pt-BR`; without one, the widget speaks its default language. */
export function parseLanguage(value: Value): string | undefined {
  const tag = value?.trim();
  if (!tag) return undefined;
  if (/^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i.test(tag)) return tag;
  warn("data-lang takes a language such as es or pt-BR; the widget's own is taken");
  return undefined;
}

export function parseApi(value: Value): string | undefined {
  if (!value?.trim()) return undefined;
  const url = parseUrl(value.trim());
  if (url === undefined) {
    warn("data-api takes the address of the API, ending in /functions/v1; it is ignored");
  }
  return url;
}

/** An attribute without a value means yes, as attributes of HTML do. */
export function parseFlag(name: string, value: Value, fallback: boolean): boolean {
  if (value === null || value === undefined) return fallback;
  const word = value.trim().toLowerCase();
  if (word === "" || word === "true") return true;
  if (word === "false") return false;
  warn(`${name} takes true or false; ${fallback} is taken`);
  return fallback;
}

export function parsePlacement(value: Value): Placement | undefined {
  const word = value?.trim().toLowerCase();
  if (!word) return undefined;
  const placement = PLACEMENTS.find((each) => each === word);
  if (!placement) warn(`data-position takes ${PLACEMENTS.join(", ")}; the widget's own is taken`);
  return placement;
}

/** What the button is called; a hundred characters at most. */
export function parseLabel(value: Value): string | undefined {
  return value?.trim().slice(0, 100) || undefined;
}

import type { Mode } from "../../sdk/widget/src/page_api.ts";
import { parseUrl } from "../shared/urls.ts";
import { warn } from "../shared/warn.ts";
import { type Placement, PLACEMENTS } from "./position.ts";

/** The `data-…` attributes of the script. */
export interface Attributes {
  mode: Mode;
  customer: string;
  widget: string;
  lang: string | undefined;
  api: string | undefined;
  showClose: boolean;
  open: boolean;
  /** The page's policy allows requests to the API. */
  direct: boolean;
  placement: Placement | undefined;
  label: string | undefined;
  /** The button's colour until its look is known; invalid ones become the default. */
  color: string | undefined;
}

/** The attributes and the addresses of API and widget host. */
export interface LoaderOptions extends Attributes {
  /** The API's base URL. */
  api: string;
  /** The base URL of the widget host, which serves the loader and the voice interface. */
  host: string;
}

type Value = string | null | undefined;

/** The script element, as far as it is needed here. */
interface Script {
  src: string;
  dataset: Record<string, Value>;
}

/** The build, or the host that serves this file, replaces this with the API's base URL. */
const BUILT_IN_API = "__OUTBOUND_API_URL__";

/** Reads the options from the script element; undefined when no widget can be shown. Never throws. */
export function readOptions(script: Script): LoaderOptions | undefined {
  const attributes = readAttributes(script.dataset);
  if (!attributes) return undefined;
  const host = parseUrl(script.src.split(/[?#]/)[0])?.replace(/\/[^/]*$/, "");
  const api = attributes.api ?? parseUrl(BUILT_IN_API);
  if (host === undefined) {
    warn("the loader needs a <script src> without type=module: no widget is shown");
    return undefined;
  }
  if (api === undefined) {
    warn("data-api: expected the API's address");
    return undefined;
  }
  return { ...attributes, api, host };
}

/** Reads all attributes; undefined when a required one is missing or invalid. Never throws. */
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
    direct: parseFlag("data-direct", data.direct, false),
    placement: parsePlacement(data.position),
    label: parseLabel(data.label),
    color: data.color?.trim(),
  };
}

/** Parses `data-mode`; `chat` is the default. */
function parseMode(value: Value): Mode {
  const mode = value?.trim().toLowerCase() || "chat";
  if (mode === "chat" || mode === "voice") return mode;
  warn("data-mode: expected chat or voice; using chat");
  return "chat";
}

/** Parses `data-customer`. The warning never quotes a key: people copy consoles into tickets. */
export function parseKey(value: Value): string | undefined {
  const key = value?.trim();
  if (key && /^[\w.~-]{8,200}$/.test(key)) return key;
  warn("data-customer: expected a publishable key (pk_…): no widget is shown");
  return undefined;
}

/** Parses `data-widget`. */
function parseUuid(value: Value): string | undefined {
  const id = value?.trim().toLowerCase();
  if (id && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  warn("data-widget: expected the id of a widget, a UUID: no widget is shown");
  return undefined;
}

/** Parses `data-lang`, a language tag such as `es` or `pt-BR`. */
function parseLanguage(value: Value): string | undefined {
  const tag = value?.trim();
  if (!tag) return undefined;
  if (/^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i.test(tag)) return tag;
  warn("data-lang: expected a language such as es or pt-BR; using the widget's own");
  return undefined;
}

/** Parses `data-api`. */
function parseApi(value: Value): string | undefined {
  if (!value?.trim()) return undefined;
  const url = parseUrl(value.trim());
  if (url === undefined) {
    warn("data-api: expected the API's address, ending in /functions/v1; ignored");
  }
  return url;
}

/** Parses a flag; an attribute without a value means true, as in HTML. */
export function parseFlag(name: string, value: Value, fallback: boolean): boolean {
  if (value === null || value === undefined) return fallback;
  const word = value.trim().toLowerCase();
  if (word === "" || word === "true") return true;
  if (word === "false") return false;
  warn(`${name}: expected true or false; using ${fallback}`);
  return fallback;
}

/** Parses `data-position`. */
function parsePlacement(value: Value): Placement | undefined {
  const word = value?.trim().toLowerCase();
  if (!word) return undefined;
  const placement = PLACEMENTS.find((each) => each === word);
  if (!placement) warn(`data-position: expected ${PLACEMENTS.join(", ")}; using the widget's own`);
  return placement;
}

/** Parses `data-label` and cuts it at 100 characters. */
function parseLabel(value: Value): string | undefined {
  return value?.trim().slice(0, 100) || undefined;
}

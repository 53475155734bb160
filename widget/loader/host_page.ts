import type { Mode } from "./options.ts";

/** Returns the origin of this page, which its widgets' frames send messages to; undefined for a page without one. */
export function pageOrigin(): string | undefined {
  return /^https?:\/\//.test(origin) ? origin : undefined;
}

/** The page that a visitor writes from. */
export interface PageDescription {
  /** Without query and fragment, which may contain secrets such as login tokens. */
  url: string | null;
  title: string;
  /** The visitor's identity, as the page has it from its server; the API checks it. */
  identity?: unknown;
}

const MAX_URL_LENGTH = 2000;
const MAX_TITLE_LENGTH = 200;

/** Describes this page to the company. Leaves out an address that is too long to be stored. */
export function describePage(): PageDescription {
  const page = pageOrigin();
  const url = page && `${page}${location.pathname}`;
  const identity = globalThis.outbound?.identity;
  return {
    url: url && url.length <= MAX_URL_LENGTH ? url : null,
    title: shorten(document.title),
    ...(identity ? { identity } : {}),
  };
}

/** Cuts a title without splitting a character, and removes NUL and lone surrogates, which databases refuse. */
function shorten(title: string): string {
  return [...title.replace(/[\0\p{Surrogate}]/gu, "").trim()].slice(0, MAX_TITLE_LENGTH).join("");
}

/** The events of a widget, dispatched as `outbound:<name>`. */
type EventName = "ready" | "open" | "close" | "unread" | "unavailable" | "destroy";

/** The `detail` of the events. */
interface EventDetail {
  widget: string;
  mode: Mode;
  /** With `unread`: the number of messages since the panel was closed. */
  count?: number;
}

/** Dispatches a CustomEvent `outbound:<name>` on `window`. */
export function emit(
  name: EventName,
  { widget, mode }: { widget: string; mode: Mode },
  count?: number,
): void {
  const detail: EventDetail = { widget, mode, ...(count !== undefined && { count }) };
  dispatchEvent(new CustomEvent(`outbound:${name}`, { detail }));
}

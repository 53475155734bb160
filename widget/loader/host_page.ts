import type { EventName, WidgetDetail, WidgetEvents } from "../../sdk/widget/src/page_api.ts";

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

/** The part of an event's `detail` that other events do not have. */
type Extra<Name extends EventName> = Omit<WidgetEvents[Name], keyof WidgetDetail>;

/** Dispatches a CustomEvent `outbound:<name>` on `window`. */
export function emit<Name extends EventName>(
  name: Name,
  { widget, mode }: WidgetDetail,
  ...extra: keyof Extra<Name> extends never ? [] : [Extra<Name>]
): void {
  dispatchEvent(new CustomEvent(`outbound:${name}`, { detail: { widget, mode, ...extra[0] } }));
}

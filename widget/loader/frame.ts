import type { MessageAuthor } from "../../sdk/widget/src/page_api.ts";
import type { LoaderOptions } from "./options.ts";

/**
 * Returns the address of the page in the iframe. Parameters for the browser alone are in the fragment, which no server
 * receives.
 *
 * @param page the origin of the page that shows the widget; undefined for a page without one
 */
export function frameSource(options: LoaderOptions, page: string | undefined): string {
  const { api, customer, widget, lang, showClose } = options;
  if (options.mode === "chat") {
    const query = new URLSearchParams({
      customer_id: customer,
      widget_id: widget,
      showClose: String(showClose),
    });
    if (lang) query.set("lang", lang);
    return `${api}/widgetWebView?${query}${page ? `#${new URLSearchParams({ page })}` : ""}`;
  }
  const fragment = new URLSearchParams({ widget, key: customer, api, showClose: String(showClose) });
  if (lang) fragment.set("lang", lang);
  return `${options.host}/voice.html#${fragment}`;
}

/** The messages that the page in the iframe may send to the loader. */
export type FrameMessage =
  | { type: "outbound:ready" }
  | { type: "outbound:close" }
  /** The number of unread messages. */
  | { type: "outbound:unread"; count: number }
  /** A message arrived in the chat. */
  | { type: "outbound:message"; author: MessageAuthor }
  /** The visitor is handed over to a person. */
  | { type: "outbound:handoff" }
  /** Requests the values stored on this page. */
  | { type: "outbound:get_state" }
  /** Requests the description of this page. */
  | { type: "outbound:get_page" }
  /** Stores a value for the next visit; null removes it. */
  | { type: "outbound:store"; name: string; value: string | null };

/** The messages that have nothing but a type. */
type Plain = {
  type: Exclude<FrameMessage["type"], "outbound:unread" | "outbound:message" | "outbound:store">;
};

const PLAIN = /^outbound:(ready|close|handoff|get_state|get_page)$/;

const AUTHOR = /^(visitor|operator|system)$/;

const NAME = /^[\w:-]{1,80}$/;

/** Enough for a message of 4,000 characters in its longest encoding. */
const MAX_VALUE_LENGTH = 30_000;

const MAX_UNREAD = 99;

/** Parses a message's data; undefined for messages that are not ours. */
export function parseFrameMessage(data: unknown): FrameMessage | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { type, count, author, name, value } = data as Record<string, unknown>;
  if (typeof type !== "string") return undefined;
  if (PLAIN.test(type)) return { type } as Plain;
  if (type === "outbound:unread" && typeof count === "number" && count >= 0) {
    return { type, count: Math.min(Math.trunc(count), MAX_UNREAD) };
  }
  if (type === "outbound:message" && typeof author === "string" && AUTHOR.test(author)) {
    return { type, author: author as MessageAuthor };
  }
  if (type !== "outbound:store" || typeof name !== "string" || !NAME.test(name)) return undefined;
  if (value === null) return { type, name, value };
  return typeof value === "string" && value.length <= MAX_VALUE_LENGTH ? { type, name, value } : undefined;
}

import type { Mode } from "./attributes.ts";

/** What happened to a widget, as `outbound:<name>`. */
export type EventName = "ready" | "open" | "close" | "unread" | "unavailable" | "destroy";

/** What the events carry in `detail`. */
export interface EventDetail {
  widget: string;
  mode: Mode;
  /** With `unread`: how many messages came since the panel was closed. */
  count?: number;
}

/** Tells the page, by a CustomEvent `outbound:<name>` on `window`. */
export function emit(
  name: EventName,
  { widget, mode }: { widget: string; mode: Mode },
  count?: number,
): void {
  const detail: EventDetail = { widget, mode, ...(count !== undefined && { count }) };
  dispatchEvent(new CustomEvent(`outbound:${name}`, { detail }));
}

/** What the page in the iframe may say to the loader; `unread` tells how many messages have just come in. */
export type FrameMessage =
  | { type: "outbound:ready" }
  | { type: "outbound:close" }
  | { type: "outbound:unread"; count: number };

/** Checks what came in; undefined for everything that is not ours. */
export function parseFrameMessage(data: unknown): FrameMessage | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { type, count } = data as { type?: unknown; count?: unknown };
  if (type === "outbound:ready" || type === "outbound:close") return { type };
  if (type !== "outbound:unread") return undefined;
  return typeof count === "number" && count >= 0
    ? { type, count: Math.min(Math.trunc(count), 99) }
    : undefined;
}

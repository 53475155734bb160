/** What the page in the iframe may say to the loader. */
export type FrameMessage =
  | { type: "outbound:ready" }
  | { type: "outbound:close" }
  /** How many messages nobody has seen. */
  | { type: "outbound:unread"; count: number }
  /** It asks for what it stored on this page. */
  | { type: "outbound:get_state" }
  /** It asks which page this is. */
  | { type: "outbound:get_page" }
  /** To be stored for the next visit; null forgets it. */
  | { type: "outbound:store"; name: string; value: string | null };

const PLAIN = ["outbound:ready", "outbound:close", "outbound:get_state", "outbound:get_page"] as const;

const NAME = /^[\w:-]{1,80}$/;

/** A message of 4,000 characters that no encoding makes shorter. */
const MAX_VALUE_LENGTH = 30_000;

const MAX_UNREAD = 99;

/** Checks what came in; undefined for everything that is not ours. */
export function parseFrameMessage(data: unknown): FrameMessage | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { type, count, name, value } = data as Record<string, unknown>;
  const plain = PLAIN.find((each) => each === type);
  if (plain) return { type: plain };
  if (type === "outbound:unread" && typeof count === "number" && count >= 0) {
    return { type, count: Math.min(Math.trunc(count), MAX_UNREAD) };
  }
  if (type !== "outbound:store" || typeof name !== "string" || !NAME.test(name)) return undefined;
  if (value === null) return { type, name, value };
  return typeof value === "string" && value.length <= MAX_VALUE_LENGTH ? { type, name, value } : undefined;
}

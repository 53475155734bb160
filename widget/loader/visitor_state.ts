import { openStore } from "../shared/store.ts";
import type { LoaderOptions } from "./options.ts";

/**
 * The values that a widget stores from page to page: the visitor's id and token, and messages that are not sent yet. They
 * are in the page's own storage, because many browsers let an iframe of another site store nothing.
 */
export interface VisitorState {
  values(): Record<string, string>;
  /** Null removes it. */
  store(name: string, value: string | null): void;
  /** The number of unread messages, as the previous page stored it. */
  unread(): number;
  setUnread(count: number): void;
  /** Whether a message was written in the conversation in the last 24 hours, so that a reply may follow. */
  isActive(): boolean;
  /** Whether the conversation belongs to a person whom the website has signed. */
  isSigned(): boolean;
  /** Calls `onChange` when another tab of this page's origin stores a value. Returns a function that stops it. */
  follow(onChange: (name: string, value: string | null) => void): () => void;
}

const UNREAD = "unread";

/** After this time without a message, no stream is kept open for a reply. */
const ACTIVE_MS = 24 * 60 * 60 * 1000;

/** Opens a widget's own values: it cannot read those of another widget. */
export function openVisitorState({ api, widget }: Pick<LoaderOptions, "api" | "widget">): VisitorState {
  const prefix = `outbound:${api}:${widget}:`;
  const store = openStore(prefix);
  return {
    values: () => Object.fromEntries(store.names("").map((name) => [name, store.get(name) ?? ""])),
    store: (name, value) => value === null ? store.remove(name) : store.set(name, value),
    unread: () => Number(store.get(UNREAD)) || 0,
    setUnread: (count) => count > 0 ? store.set(UNREAD, String(count)) : store.remove(UNREAD),
    isActive() {
      const last = Date.parse(store.get("last_message_at") ?? "");
      return store.get("conversation") !== undefined && Date.now() - last < ACTIVE_MS;
    },
    // The chat writes it so.
    isSigned: () => store.get("conversation")?.includes('"isSigned":true') ?? false,
    follow(onChange) {
      const listen = ({ key, newValue, storageArea }: StorageEvent) => {
        if (storageArea === null || !key?.startsWith(prefix)) return;
        onChange(key.slice(prefix.length), newValue);
      };
      addEventListener("storage", listen);
      return () => removeEventListener("storage", listen);
    },
  };
}

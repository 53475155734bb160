import { openStore } from "../shared/open_store.ts";
import type { LoaderOptions } from "./options.ts";

/**
 * What a widget stores from page to page: the visitor's id and token, and what is written and not sent. It is in the page's
 * own storage, because browsers let no iframe of another site store anything.
 */
export interface VisitorState {
  values(): Record<string, string>;
  /** Null removes it. */
  store(name: string, value: string | null): void;
  /** How many messages nobody has seen, as the last page knew it. */
  unread(): number;
  setUnread(count: number): void;
  /** Whether somebody wrote in the conversation lately, so that an answer may come. */
  isGoingOn(): boolean;
  /** Calls `onChange` when another tab of this page's origin stores something; the returned function ends that. */
  follow(onChange: (name: string, value: string | null) => void): () => void;
}

const UNREAD = "unread";

/** Nobody waits for an answer longer; a stream is not kept up for that. */
const GOING_ON_MS = 24 * 60 * 60 * 1000;

/** The names in it are the widget's own: a widget gets to see nothing of another one's. */
export function openVisitorState({ api, widget }: Pick<LoaderOptions, "api" | "widget">): VisitorState {
  const prefix = `outbound:${api}:${widget}:`;
  const store = openStore(prefix);
  return {
    values: () => Object.fromEntries(store.names("").map((name) => [name, store.get(name) ?? ""])),
    store: (name, value) => value === null ? store.remove(name) : store.set(name, value),
    unread: () => Number(store.get(UNREAD)) || 0,
    setUnread: (count) => count > 0 ? store.set(UNREAD, String(count)) : store.remove(UNREAD),
    isGoingOn() {
      const last = Date.parse(store.get("last_message_at") ?? "");
      return store.get("conversation") !== undefined && Date.now() - last < GOING_ON_MS;
    },
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

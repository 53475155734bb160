import type { Store } from "../shared/open_store.ts";

/** A message the server has not confirmed. */
export interface Pending {
  /** Made here, and the same however often it is sent: the server keeps one message for it. */
  id: string;
  text: string;
  /** When it was written, in milliseconds. */
  at: number;
  /** The server will not take it as it is. */
  isRefused?: boolean;
}

/** The messages on their way, oldest first. They outlive the page, and are sent when the visitor is back. */
export interface Outbox {
  all(): Pending[];
  add(text: string): Pending;
  refuse(pending: Pending): void;
  remove(id: string): void;
}

const PREFIX = "out:";

/** Each message is kept under a name of its own, so that two tabs never overwrite each other's. */
export function createOutbox(store: Store): Outbox {
  const save = (pending: Pending) => store.set(`${PREFIX}${pending.id}`, JSON.stringify(pending));
  return {
    all: () =>
      store.names(PREFIX).flatMap((name) => parse(store.get(name))).sort((a, b) =>
        a.at - b.at || (a.id < b.id ? -1 : 1)
      ),
    add(text) {
      const pending = { id: newId(), text, at: Date.now() };
      save(pending);
      return pending;
    },
    refuse: (pending) => save({ ...pending, isRefused: true }),
    remove: (id) => store.remove(`${PREFIX}${id}`),
  };
}

function parse(text: string | undefined): Pending[] {
  try {
    const value = JSON.parse(text ?? "");
    return typeof value.id === "string" && typeof value.text === "string" && typeof value.at === "number"
      ? [value]
      : [];
  } catch {
    return [];
  }
}

/** `crypto.randomUUID` is not there on pages without TLS. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = bytes[6]! & 15 | 64;
  bytes[8] = bytes[8]! & 63 | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

import type { Store } from "../shared/store.ts";
import type { Ticket } from "./chat_api.ts";
import type { Message } from "./schemas.ts";
import type { FileRefusal } from "./texts.ts";

/** The values that the embedding page stores for the chat. Many browsers let an iframe of another site store nothing. */
export interface ParentStore extends Store {
  /** Takes over a value that another tab stored or, as null, removed. */
  receive(name: string, value: string | null): void;
}

/**
 * Creates a store in memory that passes every change to `storeAtParent`.
 *
 * @param stored the values from earlier visits
 */
export function createParentStore(
  stored: Record<string, string>,
  storeAtParent: (name: string, value: string | null) => void,
): ParentStore {
  const values = new Map(Object.entries(stored));
  return {
    get: (name) => values.get(name),
    set(name, value) {
      if (values.get(name) === value) return;
      values.set(name, value);
      storeAtParent(name, value);
    },
    remove: (name) => void (values.delete(name) && storeAtParent(name, null)),
    names: (prefix) => [...values.keys()].filter((name) => name.startsWith(prefix)),
    receive: (name, value) => void (value === null ? values.delete(name) : values.set(name, value)),
  };
}

const CONVERSATION = "conversation";

/** Reads the conversation of the last visit. */
export function readTicket(store: Store): Ticket | undefined {
  try {
    const { id, token } = JSON.parse(store.get(CONVERSATION) ?? "");
    return typeof id === "string" && typeof token === "string" ? { id, token } : undefined;
  } catch {
    return undefined;
  }
}

/** Stores the conversation for the next visit; undefined removes it. */
export function writeTicket(store: Store, ticket: Ticket | undefined): void {
  if (ticket) store.set(CONVERSATION, JSON.stringify(ticket));
  else store.remove(CONVERSATION);
}

/** A message that the server has not confirmed. */
export interface Pending {
  /** The `client_message_id`. It stays the same for every try, so that the server stores one message. */
  id: string;
  text: string;
  /** The time of writing, in milliseconds. */
  at: number;
  /** The server refused the message itself. */
  isRefused?: boolean;
  /** A quick reply of the widget, which may have an automatic reply. */
  isQuickReply?: boolean;
  /** It sends this file, whose name is the text. */
  file?: File;
  /** Why the file was refused. */
  reason?: FileRefusal;
}

/**
 * The unconfirmed messages, oldest first. They outlive the page, and are sent on the next visit; files last as long as the
 * page.
 */
export interface Outbox {
  all(): Pending[];
  add(text: string, options?: { isQuickReply?: boolean }): Pending;
  addFile(file: File, reason?: FileRefusal): Pending;
  refuse(pending: Pending, reason?: FileRefusal): void;
  /** Removes a message that the server has. */
  confirm(message: Message): void;
  remove(id: string): void;
}

const PREFIX = "out:";

/** Creates the outbox. Each message has its own name in the store, so that two tabs do not overwrite each other's. */
export function createOutbox(store: Store): Outbox {
  // A store holds texts only.
  const files = new Map<string, Pending>();
  const save = (pending: Pending) => {
    if (pending.file) files.set(pending.id, pending);
    else store.set(`${PREFIX}${pending.id}`, JSON.stringify(pending));
    return pending;
  };
  const remove = (id: string) => void (files.delete(id) || store.remove(`${PREFIX}${id}`));
  return {
    all: () =>
      [...store.names(PREFIX).flatMap((name) => parsePending(store.get(name))), ...files.values()].sort((
        a,
        b,
      ) => a.at - b.at || (a.id < b.id ? -1 : 1)),
    add: (text, options) => save({ id: newId(), text, at: Date.now(), ...options }),
    addFile: (file, reason) =>
      save({
        ...{ id: newId(), text: nameOf(file), at: Date.now(), file },
        ...(reason && { isRefused: true, reason }),
      }),
    refuse: (pending, reason) => void save({ ...pending, isRefused: true, ...(reason && { reason }) }),
    confirm: ({ client_message_id: id }) => id ? remove(id) : undefined,
    remove,
  };
}

/** The longest name that the API takes, in characters. */
const MAX_NAME_LENGTH = 240;

/** Returns the name of a file as the API takes it: one line that is not too long, with its ending. */
function nameOf({ name }: File): string {
  return name.replace(/\p{Cc}/gu, " ").trim().slice(-MAX_NAME_LENGTH).trim() || "file";
}

function parsePending(text: string | undefined): Pending[] {
  try {
    const value = JSON.parse(text ?? "");
    return typeof value.id === "string" && typeof value.text === "string" && typeof value.at === "number"
      ? [value]
      : [];
  } catch {
    return [];
  }
}

/** Returns a random UUID. Pages without TLS have no `crypto.randomUUID`. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = bytes[6]! & 15 | 64;
  bytes[8] = bytes[8]! & 63 | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

import { cleanText } from "./bounded_json.ts";

type Fields = Record<string, unknown>;

/** How a person would read each kind of message, from the part of it that is named after its kind. */
const TEXTS: Record<string, (part: Fields) => unknown> = {
  text: (part) => part.body,
  button: (part) => part.text,
  interactive: readInteractive,
  image: (part) => part.caption,
  video: (part) => part.caption,
  document: (part) => part.caption || part.filename,
  location: readLocation,
  contacts: (part) =>
    listOf(part).map((contact) => fieldsOf(contact.name).formatted_name).filter(isText).join(", "),
  reaction: (part) => part.emoji,
  order: (part) => part.text,
  system: (part) => part.body,
  edit: (part) => readEdited(fieldsOf(part.message)),
};

/** Returns the text of a message as a person would read it; null when it has none. */
export function textOf(kind: string, part: unknown): string | null {
  const read = Object.hasOwn(TEXTS, kind) ? TEXTS[kind] : undefined;
  return read === undefined ? null : cleanText(read(Array.isArray(part) ? { list: part } : fieldsOf(part)));
}

/** Returns the payload of the button or list entry that was pressed; null for any other message. */
export function payloadOf(kind: string, part: unknown): string | null {
  const fields = fieldsOf(part);
  if (kind === "button") return cleanText(fields.payload);
  if (kind !== "interactive") return null;
  return cleanText(fieldsOf(fields.button_reply).id ?? fieldsOf(fields.list_reply).id);
}

/** Returns a value as an object; an empty one when it is none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Fields : {};
}

/** The reply to a form has only its name as text; what was filled in is in the content. */
function readInteractive(part: Fields): unknown {
  const form = fieldsOf(part.nfm_reply);
  return fieldsOf(part.button_reply).title ?? fieldsOf(part.list_reply).title ?? form.body ?? form.name;
}

function readLocation({ name, address, latitude, longitude }: Fields): unknown {
  const named = [name, address].filter(isText).join(", ");
  return named ||
    (typeof latitude === "number" && typeof longitude === "number" ? `${latitude}, ${longitude}` : null);
}

/** An edited message is the new one, of any kind. */
function readEdited(message: Fields): unknown {
  const kind = typeof message.type === "string" ? message.type : "text";
  return kind === "edit" ? null : textOf(kind, message[kind]);
}

function listOf({ list }: Fields): Fields[] {
  return Array.isArray(list) ? list.map(fieldsOf) : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

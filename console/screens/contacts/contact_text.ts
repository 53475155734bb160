import { addressOf } from "../../data/contact_text.ts";
import type { ContactAttribute, StoredContact } from "../../data/sdk.ts";
import { count } from "../../i18n/format.ts";
import { titleOf } from "../contact/address_title.ts";
import { words } from "../../i18n/words.ts";

/** Returns what a contact is called: by name, or by an address. */
export function nameOf(contact: Pick<StoredContact, "name" | "addresses">): string {
  const address = addressOf(contact, "number", "email", "user_id", "visitor");
  return contact.name ?? (address === undefined ? words().contacts.nameless : titleOf(address));
}

/** Returns the value of an attribute in the member's words. */
export function attributeText(value: string | number | boolean | undefined): string {
  if (value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? words().condition.yes : words().condition.no;
  return typeof value === "number" && Number.isSafeInteger(value) ? count(value) : String(value);
}

/** Returns a typed text as the attribute holds it; null removes it. */
export function typedValue(typed: string, type: ContactAttribute["type"]): string | number | boolean | null {
  if (typed === "") return null;
  if (type === "number") return Number(typed);
  return type === "boolean" ? typed === "true" : typed;
}

/** Reads tags that are separated by commas, each once. */
export function readTags(typed: string): string[] {
  return [...new Set(typed.split(",").map((tag) => tag.trim()).filter(Boolean))];
}

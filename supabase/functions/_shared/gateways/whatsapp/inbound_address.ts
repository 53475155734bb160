import { z } from "zod";
import { type Address, NUMBER, USER_ID } from "../../values/address.ts";
import { text } from "./webhook_values.ts";

/** Some versions of the platform's payloads have a user id where a number was; each is known by its form. */
const identifier = text.optional().catch(undefined);

const contactSchema = z.looseObject({
  profile: z.looseObject({ name: identifier, username: identifier }).optional().catch(undefined),
  wa_id: identifier,
  user_id: identifier,
  parent_user_id: identifier,
});

export type Contact = z.infer<typeof contactSchema>;

/** Reads the people to whom a batch belongs; anything else is left out. */
export function readContacts(items: unknown[]): Contact[] {
  return items.map((item) => contactSchema.safeParse(item).data).filter((contact) => contact !== undefined);
}

/** Returns the address in whatever fields hold one, the first of each form; null when none does. */
export function addressIn(fields: (string | undefined)[]): Address | null {
  const written = fields.flatMap((field) => field === undefined ? [] : field.trim().replace(/^\+/, ""));
  const number = written.find((field) => NUMBER.test(field)) ?? null;
  const user_id = written.find((field) => USER_ID.test(field)) ?? null;
  return number === null && user_id === null ? null : { number, user_id };
}

/** Returns the contact to which a message belongs: one that shares an identifier with it, or else the only one. */
export function contactOf(contacts: Contact[], identifiers: (string | undefined)[]): Contact | undefined {
  const known = identifiers.filter((each) => each !== undefined && each !== "");
  const shares = (contact: Contact) =>
    [contact.wa_id, contact.user_id, contact.parent_user_id].some((each) => each && known.includes(each));
  const [only, ...others] = contacts;
  return contacts.find(shares) ??
    (others.length === 0 && (known.length === 0 || !only?.wa_id) ? only : undefined);
}

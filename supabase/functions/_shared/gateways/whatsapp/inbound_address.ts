import { z } from "zod";
import { text } from "./webhook_values.ts";

/** The sender of a message, as the platform shows it: at least one of the two. */
export interface InboundAddress {
  /** Digits; null when the person hides the number. */
  number: string | null;
  /** The platform's user id, or else that of the parent account. */
  user_id: string | null;
}

const NUMBER = /^[1-9]\d{6,14}$/;
const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

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
export function addressIn(fields: (string | undefined)[]): InboundAddress | null {
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

import { type Actor, writeAudit } from "../db/access/audit.ts";
import { findUnfitAttributes } from "../db/people/attributes.ts";
import {
  type ContactChanges,
  type ContactKey,
  type ContactRow,
  findContacts,
  learnContacts,
  lockPeople,
  readContact,
  updateContact,
} from "../db/people/contacts.ts";
import type { Sql } from "../db/driver/connect.ts";
import { AppError } from "../errors.ts";
import { unfitValue } from "./attributes.ts";
import type { ContactAddress, Person } from "./person.ts";

/** A contact that a member makes. */
export interface NewContact extends ContactChanges {
  addresses: ContactAddress[];
}

/**
 * Makes a contact, in the transaction of the caller. Throws `contact_exists` where one has an address of it, and
 * `validation_failed` for an attribute of another type.
 */
export async function createContact(
  sql: Sql,
  companyId: string,
  { name, language, timezone, country, ...contact }: NewContact,
  by: Actor,
): Promise<ContactRow> {
  await lockPeople(sql, companyId);
  await requireFree(sql, companyId, contact.addresses);
  await requireFitting(sql, companyId, contact.attributes);
  const person: Person = {
    ...contact,
    ...{ name: name ?? undefined, language: language ?? undefined },
    ...{ timezone: timezone ?? undefined, country: country ?? undefined },
  };
  const source = by.actor.includes("key:") ? "api" : "operator";
  const [learned] = await learnContacts(sql, companyId, [person], source);
  const contactId = learned!.contact_id!;
  await writeAudit(sql, companyId, { ...by, action: "contact.created", subject: contactId });
  return (await readContact(sql, { companyId, contactId }))!;
}

/** Changes a contact as {@link createContact} makes one. Throws `not_found` too. */
export async function changeContact(
  sql: Sql,
  key: ContactKey,
  changes: ContactChanges,
  by: Actor,
): Promise<ContactRow> {
  const { companyId, contactId } = key;
  await lockPeople(sql, companyId);
  if (changes.addresses) await requireFree(sql, companyId, changes.addresses, contactId);
  await requireFitting(sql, companyId, changes.attributes);
  await updateContact(sql, key, changes, by);
  const contact = await readContact(sql, key);
  if (contact === undefined) throw noContact();
  return contact;
}

/** The refusal of an id that names no contact of the company. */
export function noContact(): AppError {
  return new AppError("not_found", "Contact not found");
}

async function requireFree(
  sql: Sql,
  companyId: string,
  addresses: ContactAddress[],
  own?: string,
): Promise<void> {
  const [other] = (await findContacts(sql, companyId, addresses)).filter((id) => id !== own);
  if (other === undefined) return;
  throw new AppError(
    "contact_exists",
    "Another contact has one of these addresses: change or merge that one",
    {
      details: { field: "addresses", contact_id: other },
    },
  );
}

async function requireFitting(
  sql: Sql,
  companyId: string,
  attributes: Record<string, unknown> | undefined,
): Promise<void> {
  if (attributes === undefined) return;
  const [unfit] = await findUnfitAttributes(sql, companyId, [{ attributes }]);
  if (unfit) throw unfitValue(unfit, attributes[unfit.name]);
}

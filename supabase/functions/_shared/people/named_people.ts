import { CONTACT_FIELDS } from "../campaigns/notification_request.ts";
import type { AcceptRequest, NamedPerson } from "../db/queue/accept_notifications.ts";
import { isAttributeName, isAttributeValue } from "./attributes.ts";
import { emailSchema, nameSchema } from "./person.ts";

/** Of one contact of a request. */
const MAX_NAMED_ATTRIBUTES = 50;

/** Returns the people whom a request names: their names, e-mail addresses, and the client's own fields as attributes. */
export function peopleOf(notifications: AcceptRequest["notifications"], companyId: string): NamedPerson[] {
  return notifications.map(({ number, user_id, contact = {} }) => ({
    company_id: companyId,
    number,
    user_id: user_id ?? null,
    person: personIn(contact),
  }));
}

function personIn(contact: Record<string, unknown>): NamedPerson["person"] {
  const { name, first_name: first, last_name: last } = contact;
  const fullName = nameSchema.safeParse(name ?? [first, last].filter(Boolean).join(" "));
  const email = emailSchema.safeParse(contact.email);
  const own = Object.entries(contact).filter(([field, value]) =>
    !CONTACT_FIELDS.has(field) && isAttributeName(field) && isAttributeValue(value)
  );
  return {
    ...(fullName.success && { name: fullName.data }),
    ...(email.success && { email: email.data }),
    attributes: Object.fromEntries(own.slice(0, MAX_NAMED_ATTRIBUTES)),
  };
}

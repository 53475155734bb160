import { readContact } from "../../_shared/db/people/contacts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { noContact } from "../../_shared/people/change_contact.ts";
import { CONTACT_EXAMPLE, contactSchema } from "../../_shared/http/company/contacts.ts";
import { addCompanyRoute } from "../company_route.ts";
import { CONTACT_DOCUMENT, contactParams } from "./contact_document.ts";

/** `GET …/contacts/{contact_id}` shows a contact. */
export function registerGetContact(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/contacts/{contact_id}",
    operationId: "getContact",
    summary: "Show a contact",
    params: contactParams,
    response: { schema: contactSchema, example: CONTACT_EXAMPLE },
    document: CONTACT_DOCUMENT,
  }, async (_, { caller: { companyId }, params: { contact_id: contactId }, sql }) => {
    const contact = await readContact(sql, { companyId, contactId });
    if (contact === undefined) throw noContact();
    return showRow(contactSchema, contact);
  });
}

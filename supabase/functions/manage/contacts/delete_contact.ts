import { z } from "@hono/zod-openapi";
import { deleteContact } from "../../_shared/db/people/contacts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { noContact } from "../../_shared/people/change_contact.ts";
import { CONTACT_EXAMPLE } from "../../_shared/http/company/contacts.ts";
import { addCompanyRoute } from "../company_route.ts";
import { contactParams } from "./contact_document.ts";

/** `DELETE …/contacts/{contact_id}` removes a contact. */
export function registerDeleteContact(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/contacts/{contact_id}",
    operationId: "removeContact",
    summary: "Remove a contact",
    description:
      "Its name, tags, attributes, addresses and places in lists. What was sent, opt-outs and consents " +
      "stay: `POST …/contacts/erase` erases a person.",
    params: contactParams,
    response: {
      schema: z.object({ contact_id: z.guid(), removed: z.literal(true) }).openapi("RemovedContact"),
      example: { contact_id: CONTACT_EXAMPLE.contact_id, removed: true },
    },
  }, async (c, { caller: { companyId, by }, params: { contact_id: contactId } }) => {
    if (!await deleteContact(c.get("services").sql, { companyId, contactId }, by)) throw noContact();
    return { contact_id: contactId, removed: true as const };
  });
}

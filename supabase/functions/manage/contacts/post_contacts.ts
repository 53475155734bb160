import { z } from "@hono/zod-openapi";
import { inTransaction } from "../../_shared/db/driver/in_transaction.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { createContact } from "../../_shared/people/change_contact.ts";
import { addressesSchema, contactFields } from "../../_shared/people/person.ts";
import { CONTACT_EXAMPLE, contactSchema } from "../../_shared/http/company/contacts.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `POST …/contacts` makes a contact. */
export function registerPostContacts(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/contacts",
    operationId: "createContact",
    summary: "Make a contact",
    description: "Refused with `contact_exists` (409) where another contact has one of its addresses.",
    body: {
      schema: z.strictObject({ addresses: addressesSchema, ...contactFields }).openapi("CreateContact"),
      example: { name: "Ana Ruiz", addresses: [{ kind: "number", address: "34600111222" }], tags: ["vip"] },
    },
    response: { schema: contactSchema, example: CONTACT_EXAMPLE },
    refusals: [409],
  }, async (c, { caller: { companyId, by }, body }) => {
    const contact = await inTransaction(
      c.get("services").sql,
      (on) => createContact(on, companyId, body, by),
    );
    return showRow(contactSchema, contact);
  });
}

import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { changeContact } from "../../_shared/people/change_contact.ts";
import { addressesSchema, contactFields } from "../../_shared/people/person.ts";
import { CONTACT_EXAMPLE, contactSchema } from "../../_shared/http/company/contacts.ts";
import { addCompanyRoute } from "../company_route.ts";
import { CONTACT_DOCUMENT, contactParams } from "./contact_document.ts";

/** `PUT …/contacts/{contact_id}` changes a contact. */
export function registerPutContact(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "put",
      path: "/contacts/{contact_id}",
      operationId: "changeContact",
      summary: "Change a contact",
      description:
        "What is left out stays; null removes. `tags` and `addresses` replace those before. Refused with " +
        "`contact_exists` (409) where another contact has one of the addresses.",
      params: contactParams,
      body: {
        schema: z.strictObject({ ...contactFields, addresses: addressesSchema.optional() }).openapi(
          "ContactChanges",
        ),
        example: { name: "Ana Ruiz", attributes: { city: "Toledo" }, tags: ["vip"] },
      },
      response: { schema: contactSchema, example: CONTACT_EXAMPLE },
      document: CONTACT_DOCUMENT,
      refusals: [409],
    },
    async (_, { caller: { companyId, by }, params: { contact_id: contactId }, sql, body }) =>
      showRow(contactSchema, await changeContact(sql, { companyId, contactId }, body, by)),
  );
}

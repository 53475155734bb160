import { z } from "@hono/zod-openapi";
import { mergeContacts, readContact } from "../../_shared/db/people/contacts.ts";
import { badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { noContact } from "../../_shared/people/change_contact.ts";
import { CONTACT_EXAMPLE, contactSchema } from "../../_shared/http/company/contacts.ts";
import { addCompanyRoute } from "../company_route.ts";
import { contactParams } from "./contact_document.ts";

const OTHER = "the contact_id of another contact";

/** `POST …/contacts/{contact_id}/merge` makes one contact of two. */
export function registerPostMerge(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "post",
      path: "/contacts/{contact_id}/merge",
      operationId: "mergeContacts",
      summary: "Make another contact a part of this one",
      description:
        "The other one's addresses, tags and places in lists go over, and what this one lacks; then the " +
        "other one is deleted. It cannot be undone.",
      params: contactParams,
      body: {
        schema: z.strictObject({ contact_id: z.guid({ error: OTHER }) }).openapi("MergeContact"),
        example: { contact_id: "0192f8b1-2222-4333-8444-555566667777" },
      },
      response: { schema: contactSchema, example: CONTACT_EXAMPLE },
    },
    async (
      c,
      { caller: { companyId, by }, params: { contact_id: contactId }, body: { contact_id: from } },
    ) => {
      const { sql } = c.get("services");
      if (from === contactId) throw badFormat("contact_id", from, OTHER);
      if (!await mergeContacts(sql, { companyId, contactId, from }, by)) throw noContact();
      const contact = await readContact(sql, { companyId, contactId });
      if (contact === undefined) throw noContact();
      return showRow(contactSchema, contact);
    },
  );
}

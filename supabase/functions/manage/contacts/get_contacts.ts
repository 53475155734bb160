import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import {
  CONTACT_EXAMPLE,
  contactFilters,
  contactsSchema,
  showContacts,
} from "../../_shared/http/company/contacts.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/contacts` lists and searches contacts. */
export function registerGetContacts(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/contacts",
      operationId: "listContacts",
      summary: "List contacts, or search them",
      description: "The newest first.",
      query: z.object({ ...contactFilters, ...pageFields }),
      response: { schema: contactsSchema, example: { contacts: [CONTACT_EXAMPLE], next: null } },
    },
    async (c, { caller: { companyId }, query }) => await showContacts(c.get("services"), companyId, query),
  );
}

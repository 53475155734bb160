import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, pageFields } from "../../_shared/http/app/list_page.ts";
import { contactSchema, MAY_BE_SHORT, showContacts } from "../../_shared/http/company/contacts.ts";
import { addCompanyRoute } from "../company_route.ts";
import { listParams, requireList } from "./list_schema.ts";

const memberSchema = contactSchema.pick({ contact_id: true, name: true, addresses: true }).openapi(
  "ListMember",
);

/** `GET …/lists/{list_id}/members` lists the contacts of a list. */
export function registerGetListMembers(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/lists/{list_id}/members",
    operationId: "listContactListMembers",
    summary: "List the contacts of a list",
    description:
      `The members, or those who meet the condition now; the contacts that were added last come first. ${MAY_BE_SHORT}`,
    params: listParams,
    query: z.object(pageFields),
    response: {
      schema: z.object({ members: z.array(memberSchema), ...listFields }).openapi("ListMembers"),
      example: {
        members: [{
          contact_id: "0192f8d0-3333-4222-8333-444455556666",
          name: "Ana",
          addresses: [{ kind: "number", address: "34600111222" }],
        }],
        next: null,
      },
    },
  }, async (c, { caller: { companyId }, params: { list_id: listId }, query }) => {
    const services = c.get("services");
    const { list_id } = await requireList(services.sql, { companyId, listId });
    const { contacts, next } = await showContacts(services, companyId, { list_id, ...query });
    return {
      members: contacts.map(({ contact_id, name, addresses }) => ({ contact_id, name, addresses })),
      next,
    };
  });
}

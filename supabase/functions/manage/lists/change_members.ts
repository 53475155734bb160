import { z } from "@hono/zod-openapi";
import { changeMembers, type NamedContacts } from "../../_shared/db/contacts/lists.ts";
import type { App } from "../../_shared/http/app/context.ts";
import type { ContactAddress } from "../../_shared/people/person.ts";
import { NUMBER, USER_ID } from "../../_shared/values/address.ts";
import { addCompanyRoute } from "../company_route.ts";
import { listParams, requireMemberList } from "./list_schema.ts";

const MAX_CONTACTS = 1000;
const MANY = `at most ${MAX_CONTACTS} contacts per request`;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const ADDRESS = "a number in digits with its country code, a user id or an e-mail address";

const membersSchema = z.strictObject({
  contact_ids: z.array(z.guid("the id of a contact")).max(MAX_CONTACTS, MANY).default([]),
  addresses: z.array(
    z.string({ error: ADDRESS }).max(320, ADDRESS).refine(
      (address) => kindOf(address) !== undefined,
      ADDRESS,
    ),
  ).max(MAX_CONTACTS, MANY).default([]).openapi({ description: ADDRESS }),
}).refine(({ contact_ids, addresses }) => contact_ids.length + addresses.length <= MAX_CONTACTS, MANY)
  .openapi("ListMembersRequest");

function kindOf(address: string): ContactAddress["kind"] | undefined {
  if (NUMBER.test(address)) return "number";
  if (USER_ID.test(address)) return "user_id";
  return EMAIL.test(address) ? "email" : undefined;
}

function namedContacts({ contact_ids: contactIds, addresses }: z.infer<typeof membersSchema>): NamedContacts {
  const kinds = addresses.map((address) => kindOf(address)!);
  return {
    contactIds,
    kinds,
    addresses: addresses.map((address, index) => kinds[index] === "email" ? address.toLowerCase() : address),
  };
}

/** The differences between the routes that change a list's members. */
export interface MemberChange {
  method: "post" | "delete";
  operationId: string;
  summary: string;
  change: "add" | "remove";
}

/** Adds the route that adds contacts to a list, or the one that takes them off. */
export function addMemberChange(app: App, { method, operationId, summary, change }: MemberChange): void {
  addCompanyRoute(app, {
    method,
    path: "/lists/{list_id}/members",
    operationId,
    summary,
    description: `By their ids or by any of their addresses, ${MANY}. A repeated request changes nothing.`,
    params: listParams,
    body: { schema: membersSchema, example: { addresses: ["34600111222", "ana@example.com"] } },
    response: {
      schema: z.object({
        changed: z.number().int().min(0).openapi({ description: "Contacts that were added or taken off" }),
        unknown: z.number().int().min(0).openapi({ description: "Ids and addresses that are no contact's" }),
      }).openapi("ListMemberChange"),
      example: { changed: 2, unknown: 0 },
    },
  }, async (c, { caller: { companyId, by }, params: { list_id: listId }, body }) => {
    const { sql } = c.get("services");
    await requireMemberList(sql, { companyId, listId });
    return await changeMembers(sql, { companyId, listId, ...namedContacts(body), change }, by);
  });
}

import type { App } from "../../_shared/http/app/context.ts";
import { contactListSchema, LIST_EXAMPLE } from "../../_shared/http/company/contact_lists.ts";
import { addCompanyRoute } from "../company_route.ts";
import { listParams, requireList, showList } from "./list_schema.ts";

/** `GET …/lists/{list_id}` shows a list with its count. */
export function registerGetList(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/lists/{list_id}",
    operationId: "getContactList",
    summary: "Show a list of contacts with its count",
    params: listParams,
    response: { schema: contactListSchema, example: LIST_EXAMPLE },
  }, async (c, { caller: { companyId }, params: { list_id: listId } }) => {
    const { sql, now } = c.get("services");
    return await showList(sql, await requireList(sql, { companyId, listId }), { companyId, now: now() });
  });
}

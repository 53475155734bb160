import { z } from "@hono/zod-openapi";
import { deleteList } from "../../_shared/db/contacts/lists.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { LIST_EXAMPLE } from "../../_shared/http/company/contact_lists.ts";
import { addCompanyRoute } from "../company_route.ts";
import { listParams } from "./list_schema.ts";

/** `DELETE …/lists/{list_id}` removes a list; its contacts stay. */
export function registerDeleteList(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/lists/{list_id}",
    operationId: "removeContactList",
    summary: "Remove a list, not its contacts",
    params: listParams,
    response: {
      schema: z.object({ list_id: z.guid(), removed: z.literal(true) }).openapi("RemovedContactList"),
      example: { list_id: LIST_EXAMPLE.list_id, removed: true },
    },
  }, async (c, { caller: { companyId, by }, params: { list_id: listId } }) => {
    if (!await deleteList(c.get("services").sql, { companyId, listId }, by)) {
      throw new AppError("not_found", "List not found");
    }
    return { list_id: listId, removed: true as const };
  });
}

import { z } from "@hono/zod-openapi";
import { conditionSchema } from "../../_shared/audiences/condition.ts";
import { updateList } from "../../_shared/db/contacts/lists.ts";
import { AppError, badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { contactListSchema, LIST_EXAMPLE } from "../../_shared/http/company/contact_lists.ts";
import { addCompanyRoute } from "../company_route.ts";
import { listName, listParams, nameTaken, readListCondition, requireList, showList } from "./list_schema.ts";

/** `PUT …/lists/{list_id}` changes the name or the condition of a list. */
export function registerPutList(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/lists/{list_id}",
    operationId: "changeContactList",
    summary: "Change a list of contacts",
    description: "What is left out stays. A list with members gets no condition.",
    params: listParams,
    body: {
      schema: z.strictObject({ name: listName.optional(), condition: conditionSchema.optional() })
        .openapi("ContactListChanges"),
      example: { name: LIST_EXAMPLE.name },
    },
    response: { schema: contactListSchema, example: LIST_EXAMPLE },
  }, async (c, { caller: { companyId, by }, params: { list_id: listId }, body }) => {
    const { sql, now } = c.get("services");
    const at = { companyId, now: now() };
    const before = await requireList(sql, { companyId, listId });
    if (body.condition !== undefined && before.condition === null) {
      throw badFormat("condition", "", "nothing: the list has members");
    }
    const condition = body.condition === undefined
      ? before.condition as object | null
      : await readListCondition(sql, { ...at, given: body.condition, own: before.list_id });
    const list = await updateList(sql, { companyId, listId, name: body.name ?? before.name, condition }, by);
    if (list === "taken") throw nameTaken();
    if (list === undefined) throw new AppError("not_found", "List not found");
    return await showList(sql, list, at);
  });
}

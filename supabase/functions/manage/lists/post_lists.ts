import { z } from "@hono/zod-openapi";
import { conditionSchema } from "../../_shared/audiences/condition.ts";
import { insertList } from "../../_shared/db/contacts/lists.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { uuidv7 } from "../../_shared/values/uuid.ts";
import { contactListSchema, LIST_EXAMPLE } from "../../_shared/http/company/contact_lists.ts";
import { addCompanyRoute } from "../company_route.ts";
import { listName, nameTaken, readListCondition, showList } from "./list_schema.ts";

/** `POST …/lists` saves a list: one that gets members, or a condition. */
export function registerPostLists(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/lists",
    operationId: "createContactList",
    summary: "Save a list of contacts",
    description:
      "With a condition, those who meet it belongs to the list. Without one, members are added to it.",
    body: {
      schema: z.strictObject({ name: listName, condition: conditionSchema.optional() }).openapi(
        "ContactListRequest",
      ),
      example: { name: LIST_EXAMPLE.name, condition: LIST_EXAMPLE.condition! },
    },
    response: { schema: contactListSchema, example: LIST_EXAMPLE },
  }, async (c, { caller: { companyId, by }, body }) => {
    const { sql, now } = c.get("services");
    const at = { companyId, now: now() };
    const condition = body.condition === undefined
      ? null
      : await readListCondition(sql, { ...at, given: body.condition, own: null });
    const list = await insertList(sql, { companyId, listId: uuidv7(), name: body.name, condition }, by);
    if (list === undefined) throw nameTaken();
    return await showList(sql, list, at);
  });
}

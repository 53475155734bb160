import { z } from "@hono/zod-openapi";
import { updateMemberView } from "../../_shared/db/access/member_views.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberOf } from "./member_of.ts";
import { noView, VIEW_EXAMPLE, viewFields, viewNameTaken, viewParams, viewSchema } from "./my_view.ts";

/** `PUT …/my/views/{view_id}` renames a view, or gives it other filters. */
export function registerPutMyView(app: App): void {
  const { name, query } = VIEW_EXAMPLE;
  addCompanyRoute(app, {
    method: "put",
    path: "/my/views/{view_id}",
    operationId: "changeMyView",
    summary: "Change a saved view of yours",
    params: viewParams,
    body: { schema: z.strictObject(viewFields).openapi("MyViewChanges"), example: { name, query } },
    response: { schema: viewSchema, example: VIEW_EXAMPLE },
  }, async (c, { caller, params: { view_id: id }, body }) => {
    const view = await updateMemberView(c.get("services").sql, memberOf(caller), { id, ...body });
    if (view === "taken") throw viewNameTaken(body.name);
    if (view === undefined) throw noView();
    return showRow(viewSchema, view);
  });
}

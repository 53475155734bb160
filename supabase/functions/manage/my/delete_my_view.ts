import { z } from "@hono/zod-openapi";
import { deleteMemberView } from "../../_shared/db/access/member_views.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberOf } from "./member_of.ts";
import { noView, VIEW_EXAMPLE, viewParams } from "./my_view.ts";

/** `DELETE …/my/views/{view_id}` removes a view. */
export function registerDeleteMyView(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/my/views/{view_id}",
    operationId: "removeMyView",
    summary: "Remove a saved view of yours",
    params: viewParams,
    response: {
      schema: z.object({ view_id: z.guid(), removed: z.literal(true) }).openapi("RemovedMyView"),
      example: { view_id: VIEW_EXAMPLE.view_id, removed: true },
    },
  }, async (c, { caller, params: { view_id: id } }) => {
    if (!await deleteMemberView(c.get("services").sql, memberOf(caller), id)) throw noView();
    return { view_id: id, removed: true as const };
  });
}

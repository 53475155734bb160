import { z } from "@hono/zod-openapi";
import { readMemberViews } from "../../_shared/db/access/member_views.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberOf } from "./member_of.ts";
import { VIEW_EXAMPLE, viewSchema, viewScreenSchema } from "./my_view.ts";

/** `GET …/my/views` lists the filters that the caller named. */
export function registerGetMyViews(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/my/views",
    operationId: "listMyViews",
    summary: "List your saved views",
    description: "By name.",
    query: z.object({ screen: viewScreenSchema.optional() }),
    response: {
      schema: z.object({ views: z.array(viewSchema) }).openapi("MyViews"),
      example: { views: [VIEW_EXAMPLE] },
    },
  }, async (c, { caller, query: { screen } }) => {
    const views = await readMemberViews(c.get("services").sql, memberOf(caller), screen);
    return { views: views.map((view) => showRow(viewSchema, view)) };
  });
}

import { z } from "@hono/zod-openapi";
import { insertMemberView } from "../../_shared/db/access/member_views.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { uuidv7 } from "../../_shared/values/uuid.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberOf } from "./member_of.ts";
import {
  tooManyViews,
  VIEW_EXAMPLE,
  viewFields,
  viewNameTaken,
  viewSchema,
  viewScreenSchema,
} from "./my_view.ts";

/** `POST …/my/views` saves the filters of a list under a name. */
export function registerPostMyViews(app: App): void {
  const { screen, name, query } = VIEW_EXAMPLE;
  addCompanyRoute(app, {
    method: "post",
    path: "/my/views",
    operationId: "saveMyView",
    summary: "Save the filters of a list under a name",
    description: "For you alone, in every browser.",
    body: {
      schema: z.strictObject({ screen: viewScreenSchema, ...viewFields }).openapi("MyViewRequest"),
      example: { screen, name, query },
    },
    response: { schema: viewSchema, example: VIEW_EXAMPLE },
  }, async (c, { caller, body }) => {
    const view = await insertMemberView(c.get("services").sql, memberOf(caller), { id: uuidv7(), ...body });
    if (view === "taken") throw viewNameTaken(body.name);
    if (view === "full") throw tooManyViews(body.screen);
    return showRow(viewSchema, view);
  });
}

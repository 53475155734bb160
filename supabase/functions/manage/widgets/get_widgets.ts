import { z } from "@hono/zod-openapi";
import { readWidgetPage } from "../../_shared/db/widgets/widgets.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFieldsUpTo } from "../../_shared/http/app/list_page.ts";
import { addCompanyRoute } from "../company_route.ts";
import { kindSchema, widgetExample, widgetSchema } from "./widget.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

/** Each may have 256 KiB of settings. */
const MAX_WIDGETS = 100;

/** `GET …/widgets` lists the widgets of a company, the newest first. */
export function registerGetWidgets(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/widgets",
    operationId: "listWidgets",
    summary: "List widgets",
    query: z.object({ kind: kindSchema.optional(), ...pageFieldsUpTo(MAX_WIDGETS) }),
    response: {
      schema: z.object({ widgets: z.array(widgetSchema), ...listFields }).openapi("Widgets"),
      example: { widgets: [widgetExample], next: null },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const rows = await readWidgetPage(c.get("services").sql, { ...query, companyId });
    return {
      widgets: rows.map((row) => showRow(widgetSchema, row)),
      next: nextOf(rows, query.limit, "widget_id"),
    };
  });
}

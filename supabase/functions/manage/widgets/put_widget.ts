import { z } from "@hono/zod-openapi";
import { readWidgets, updateWidgetSettings } from "../../_shared/db/widgets/widgets.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { capChangesSchema } from "../visitor_caps.ts";
import {
  checkConfig,
  configSchema,
  MAX_CONFIG_BYTES,
  nameSchema,
  noWidget,
  originsOf,
  originsSchema,
  WIDGET_SETTINGS,
  widgetExample,
  widgetSchema,
} from "./widget.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

/** `PUT …/widgets/{widget_id}` changes a widget. */
export function registerPutWidget(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/widgets/{widget_id}",
    operationId: "changeWidget",
    summary: "Change a widget",
    description: "What is left out stays. `config` replaces the one before as a whole.",
    params: z.object({ widget_id: z.guid() }),
    body: {
      schema: z.strictObject({
        name: nameSchema.optional(),
        is_active: z.boolean({ error: "true or false" }).optional(),
        config: configSchema.optional(),
        allowed_origins: originsSchema.optional(),
        max_session_minutes: z.int({ error: "1 to 45" }).min(1, "1 to 45").max(45, "1 to 45").optional(),
        caps: capChangesSchema.optional(),
      }).openapi("WidgetChanges"),
      example: {
        name: "Shop",
        is_active: true,
        allowed_origins: ["https://shop.example"],
        caps: { conversations: 500 },
      },
      maxBytes: MAX_CONFIG_BYTES,
    },
    response: { schema: widgetSchema, example: widgetExample },
    document: WIDGET_SETTINGS,
  }, async (_, { caller: { companyId, by }, params: { widget_id: widgetId }, sql, body }) => {
    const [widget] = await readWidgets(sql, { companyId, widgetId });
    if (widget === undefined) throw noWidget();
    const changed = await updateWidgetSettings(sql, { companyId, widgetId }, {
      ...body,
      config: body.config && await checkConfig(sql, { companyId, kind: widget.kind }, body.config),
      allowed_origins: body.allowed_origins && originsOf(body.allowed_origins),
    }, by);
    if (changed === undefined) throw noWidget();
    return showRow(widgetSchema, changed);
  });
}

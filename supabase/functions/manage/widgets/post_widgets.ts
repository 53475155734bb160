import { z } from "@hono/zod-openapi";
import { insertWidget } from "../../_shared/db/widgets/widgets.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  checkConfig,
  configSchema,
  kindSchema,
  MAX_CONFIG_BYTES,
  nameSchema,
  originsOf,
  originsSchema,
  widgetExample,
} from "./widget.ts";

/** `POST …/widgets` creates a widget. */
export function registerPostWidgets(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/widgets",
    operationId: "createWidget",
    summary: "Create a widget",
    body: {
      schema: z.strictObject({
        kind: kindSchema,
        name: nameSchema,
        config: configSchema.default({}),
        allowed_origins: originsSchema.default([]),
      }).openapi("WidgetRequest"),
      example: {
        kind: "chat",
        name: "Shop",
        config: { colors: { primary: "#1f5eff" }, texts: { en: { title: "Ask us" } } },
        allowed_origins: ["https://shop.example"],
      },
      maxBytes: MAX_CONFIG_BYTES,
    },
    response: {
      schema: z.object({ widget_id: z.guid() }).openapi("CreatedWidget"),
      example: { widget_id: widgetExample.widget_id },
    },
  }, async (c, { caller: { companyId, by }, body: { kind, name, config, allowed_origins } }) => {
    const { sql } = c.get("services");
    const checked = await checkConfig(sql, { companyId, kind }, config);
    const widget = { companyId, kind, name, config: checked, allowed_origins: originsOf(allowed_origins) };
    return await insertWidget(sql, widget, by);
  });
}

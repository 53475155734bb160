import { z } from "@hono/zod-openapi";
import { readEmbeddingKey } from "../../_shared/db/access/publishable_keys.ts";
import { readVisitorUsage } from "../../_shared/db/widgets/visitor_limits.ts";
import { readWidgets } from "../../_shared/db/widgets/widgets.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { buttonOf } from "../../_shared/widgets/widget_config.ts";
import { addCompanyRoute } from "../company_route.ts";
import { capsExample, capsSchema } from "../visitor_caps.ts";
import { noWidget, WIDGET_SETTINGS, widgetExample, widgetSchema } from "./widget.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

const responseSchema = widgetSchema.extend({
  used_today: capsSchema,
  embed: z.string().nullable().openapi({
    description:
      "The line for a page. Null without an active publishable key, or where OUTBOUND_WIDGET_URL is not set",
  }),
}).openapi("WidgetDetails");

/** `GET …/widgets/{widget_id}` shows a widget, what its visitors have used today, and the line that puts it on a page. */
export function registerGetWidget(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/widgets/{widget_id}",
    operationId: "getManagedWidget",
    summary: "Show one widget",
    params: z.object({ widget_id: z.guid() }),
    response: {
      schema: responseSchema,
      example: {
        ...widgetExample,
        used_today: capsExample,
        embed: '<script async src="https://widgets.example.com/loader.js" data-mode="chat" ' +
          'data-customer="pk_…" data-widget="0f8fad5b-d9cb-469f-a165-70867728950e" ' +
          'data-color="#1f5eff"></script>',
      },
    },
    document: WIDGET_SETTINGS,
  }, async (c, { caller: { companyId }, params: { widget_id: widgetId }, sql }) => {
    const { env } = c.get("services");
    const [[row], used, key] = await Promise.all([
      readWidgets(sql, { companyId, widgetId }),
      readVisitorUsage(sql, { companyId, subjectId: widgetId }),
      readEmbeddingKey(sql, companyId),
    ]);
    if (row === undefined) throw noWidget();
    return {
      ...showRow(widgetSchema, row),
      used_today: used,
      embed: env.OUTBOUND_WIDGET_URL && key ? embedLine(env.OUTBOUND_WIDGET_URL, key, row) : null,
    };
  });
}

/** Nothing in it needs escapes: the URL is the server's own, and the rest is checked. */
function embedLine(
  widgetUrl: string,
  key: string,
  { kind, widget_id, config }: { kind: string; widget_id: string; config: unknown },
): string {
  const { color, placement } = buttonOf(config);
  // Elsewhere the button would jump there once its look is loaded.
  const early = placement === "bottom-right" ? ` data-color="${color}"` : "";
  return `<script async src="${widgetUrl}/loader.js" data-mode="${kind}" ` +
    `data-customer="${key}" data-widget="${widget_id}"${early}></script>`;
}

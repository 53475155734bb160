import { z } from "@hono/zod-openapi";
import type { ApiRoute } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { respondWebView, webViewQuery, webViewResponses } from "./web_view.ts";
import { widgetKeyParam } from "../_shared/http/guards/require_widget.ts";

const route: ApiRoute = {
  method: "get",
  path: "/widgetWebView",
  operationId: "getWidgetPage",
  summary: "The page around a chat widget",
  tags: ["Chat widget"],
  security: [{ customerId: [] }],
  request: { query: z.object({ customer_id: widgetKeyParam, widget_id: z.uuid(), ...webViewQuery }) },
  responses: webViewResponses,
};

/**
 * `GET /widgetWebView` responds with an HTML page that contains the chat's iframe. Fails with `validation_failed`,
 * `forbidden` for an invalid key, and `not_found`.
 */
export function registerGetWidgetWebView(app: App): void {
  addRoute(app, route, (c) => {
    const { customer_id, widget_id } = c.req.query();
    return respondWebView(c, { customerId: customer_id, widgetId: widget_id });
  });
}

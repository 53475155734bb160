import { type RouteConfig, z } from "@hono/zod-openapi";
import { addRoute, type App } from "../_shared/http/app.ts";
import { answerWebView } from "./answer_web_view.ts";
import { webViewQuery, webViewResponses } from "./web_view_schema.ts";

const route: RouteConfig = {
  method: "get",
  path: "/widgetWebView",
  summary: "The page around a chat widget",
  tags: ["Widgets"],
  request: { query: z.object({ customer_id: z.string(), widget_id: z.uuid(), ...webViewQuery }) },
  responses: webViewResponses,
};

/**
 * `GET /widgetWebView` answers an HTML page with the chat's iframe in it. Fails with `validation_failed`, `forbidden`
 * for a key that is no good, and `not_found`.
 */
export function registerGetWidgetWebView(app: App): void {
  addRoute(app, route, (c) => {
    const { customer_id, widget_id } = c.req.query();
    return answerWebView(c, { customerId: customer_id, widgetId: widget_id });
  });
}

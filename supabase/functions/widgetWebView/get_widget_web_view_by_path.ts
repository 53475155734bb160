import { type RouteConfig, z } from "@hono/zod-openapi";
import { addRoute, type App } from "../_shared/http/app.ts";
import { answerWebView } from "./answer_web_view.ts";
import { webViewQuery, webViewResponses } from "./web_view_schema.ts";

const route: RouteConfig = {
  method: "get",
  path: "/widgetWebView/{customer_id}/{widget_id}",
  summary: "The page around a chat widget, named by its path",
  tags: ["Widgets"],
  request: {
    params: z.object({ customer_id: z.string(), widget_id: z.uuid() }),
    query: z.object(webViewQuery),
  },
  responses: webViewResponses,
};

/** `GET /widgetWebView/{customer_id}/{widget_id}`, the other form of `GET /widgetWebView`. */
export function registerGetWidgetWebViewByPath(app: App): void {
  addRoute(app, route, (c) => {
    const { customer_id, widget_id } = c.req.param() as Record<string, string>;
    return answerWebView(c, { customerId: customer_id, widgetId: widget_id });
  });
}

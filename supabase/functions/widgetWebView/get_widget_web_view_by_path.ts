import { z } from "@hono/zod-openapi";
import type { ApiRoute } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import { OPEN } from "../_shared/http/app/security.ts";
import type { App } from "../_shared/http/app/context.ts";
import { respondWebView, webViewQuery, webViewResponses } from "./web_view.ts";
import { widgetKeyParam } from "../_shared/http/guards/require_widget.ts";

const route: ApiRoute = {
  method: "get",
  path: "/widgetWebView/{customer_id}/{widget_id}",
  operationId: "getWidgetPageByPath",
  summary: "The page around a chat widget, named by its path",
  description: "The key is in the path, where OpenAPI names no credentials.",
  tags: ["Chat widget"],
  security: OPEN,
  request: {
    params: z.object({ customer_id: widgetKeyParam, widget_id: z.uuid() }),
    query: z.object(webViewQuery),
  },
  responses: webViewResponses,
};

/** `GET /widgetWebView/{customer_id}/{widget_id}`, the other form of `GET /widgetWebView`. */
export function registerGetWidgetWebViewByPath(app: App): void {
  addRoute(app, route, (c) => {
    const { customer_id, widget_id } = c.req.param() as Record<string, string>;
    return respondWebView(c, { customerId: customer_id, widgetId: widget_id });
  });
}

import { z } from "@hono/zod-openapi";
import type { AppContext } from "../_shared/http/app.ts";
import { type KnownWidget, requireWidget } from "../_shared/http/require_widget.ts";

/** The page that shows the widget, for the API document; `requireWidget` checks it. */
export const pageOriginSchema = z.string().optional().openapi({
  description: "The page around the widget's iframe, where the browser tells it",
  example: "https://shop.example",
});

/** The voice widget of the query: `access_key` and `id_widget`. Throws what `requireWidget` does. */
export function readWidgetQuery(c: AppContext): Promise<KnownWidget> {
  return requireWidget(c, {
    key: c.req.query("access_key"),
    id: c.req.query("id_widget"),
    kind: "voice",
    idField: "id_widget",
  });
}

import type { AppContext } from "../_shared/http/app.ts";
import { type KnownWidget, requireWidget } from "../_shared/http/require_widget.ts";

/**
 * The chat widget of the query: `access_key` and `widget_id`, also under the names that the web view (`customer_id`) and
 * the voice widget (`id_widget`) use. Throws what `requireWidget` does.
 */
export function readWidgetQuery(c: AppContext): Promise<KnownWidget> {
  return requireWidget(c, {
    key: c.req.query("access_key") ?? c.req.query("customer_id"),
    id: c.req.query("widget_id") ?? c.req.query("id_widget"),
    kind: "chat",
    idField: "widget_id",
  });
}

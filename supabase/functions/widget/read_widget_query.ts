import { z } from "zod";
import { badFormat } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app.ts";
import { type KnownWidget, requireWidget } from "../_shared/http/require_widget.ts";

/**
 * The chat widget of the query: `access_key` and `widget_id`, also under the names that the web view (`customer_id`) and
 * the voice widget (`id_widget`) use. A parameter that is there is checked, also where another one decides. Throws what
 * `requireWidget` does.
 */
export async function readWidgetQuery(c: AppContext): Promise<KnownWidget> {
  const ids = { widget_id: c.req.query("widget_id"), id_widget: c.req.query("id_widget") };
  for (const [field, id] of Object.entries(ids)) {
    if (id && !z.uuid().safeParse(id).success) throw badFormat(field, id, "a UUID");
  }
  return await requireWidget(c, {
    key: c.req.query("access_key") ?? c.req.query("customer_id"),
    id: ids.widget_id ?? ids.id_widget,
    kind: "chat",
    idField: "widget_id",
  });
}

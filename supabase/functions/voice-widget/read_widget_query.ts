import type { AppContext } from "../_shared/http/app.ts";
import { type KnownWidget, requireWidget } from "../_shared/http/require_widget.ts";

/** The voice widget of the query: `access_key` and `id_widget`. Throws what `requireWidget` does. */
export function readWidgetQuery(c: AppContext): Promise<KnownWidget> {
  return requireWidget(c, {
    key: c.req.query("access_key"),
    id: c.req.query("id_widget"),
    kind: "voice",
    idField: "id_widget",
  });
}

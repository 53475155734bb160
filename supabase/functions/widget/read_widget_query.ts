import { z } from "zod";
import type { AppContext } from "../_shared/http/app.ts";
import { type KnownWidget, requireWidget } from "../_shared/http/require_widget.ts";

const FIELDS = ["widget_id", "id_widget"] as const;

/**
 * The chat widget of the query: `access_key` and `widget_id`, also under the names that the web view (`customer_id`) and
 * the voice widget (`id_widget`) use. An id that is none is refused also beside a good one. Throws what `requireWidget`
 * does.
 */
export function readWidgetQuery(c: AppContext): Promise<KnownWidget> {
  const given = FIELDS.filter((field) => c.req.query(field));
  const idField = given.find((field) => !z.uuid().safeParse(c.req.query(field)).success) ?? given[0] ??
    FIELDS[0];
  return requireWidget(c, {
    key: c.req.query("access_key") ?? c.req.query("customer_id"),
    id: c.req.query(idField),
    kind: "chat",
    idField,
  });
}

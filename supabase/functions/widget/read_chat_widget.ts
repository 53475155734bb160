import { z } from "zod";
import type { AppContext } from "../_shared/http/app/context.ts";
import { type KnownWidget, requireWidget } from "../_shared/http/guards/require_widget.ts";

const FIELDS = ["widget_id", "id_widget"] as const;

/**
 * Returns the chat widget of the query: `access_key` and `widget_id`, or the names of the web view (`customer_id`) and the
 * voice widget (`id_widget`). Refuses an invalid id even if the other one is valid. Throws like `requireWidget`.
 */
export function readChatWidget(c: AppContext): Promise<KnownWidget> {
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

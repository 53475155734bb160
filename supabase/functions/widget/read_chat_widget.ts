import { z } from "@hono/zod-openapi";
import type { AppContext } from "../_shared/http/app/context.ts";
import { WIDGET_KEY } from "../_shared/http/app/security.ts";
import { type KnownWidget, requireWidget, widgetKeyParam } from "../_shared/http/guards/require_widget.ts";

/** The parameters that name a chat widget and its key, for the API document. {@link readChatWidget} reads them. */
export const chatWidgetQuery = {
  access_key: widgetKeyParam.optional(),
  customer_id: widgetKeyParam.optional(),
  widget_id: z.uuid().optional(),
  id_widget: z.uuid().optional(),
  page_origin: z.string().optional().openapi({
    description: "The page that shows the widget, for requests of the widget host's iframe",
    example: "https://shop.example",
  }),
};

/** The credentials of such a request. */
export const CHAT_WIDGET_KEY = [...WIDGET_KEY, { customerId: [] }];

const FIELDS = ["widget_id", "id_widget"] as const;

/**
 * Returns the chat widget of the query: `access_key` and `widget_id`, or the names of the web view (`customer_id`) and the
 * voice widget (`id_widget`). Refuses an invalid or empty id even if the other one is valid. Throws like `requireWidget`.
 */
export function readChatWidget(c: AppContext): Promise<KnownWidget> {
  const given = FIELDS.filter((field) => c.req.query(field) !== undefined);
  const idField = given.find((field) => !z.uuid().safeParse(c.req.query(field)).success) ?? given[0] ??
    FIELDS[0];
  return requireWidget(c, {
    key: c.req.query("access_key") ?? c.req.query("customer_id"),
    id: c.req.query(idField),
    kind: "chat",
    idField,
  });
}

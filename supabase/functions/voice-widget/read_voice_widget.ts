import { z } from "@hono/zod-openapi";
import type { AppContext } from "../_shared/http/app/context.ts";
import { type KnownWidget, requireWidget, widgetKeyParam } from "../_shared/http/guards/require_widget.ts";

/** The parameters that name a voice widget, its key and its page, for the API document. */
export const voiceWidgetQuery = {
  access_key: widgetKeyParam,
  id_widget: z.uuid(),
  language: z.string().optional().openapi({ example: "es" }),
  page_origin: z.string().optional().openapi({
    description: "The page that embeds the widget's iframe, if the browser exposes it",
    example: "https://shop.example",
  }),
};

/** Returns the voice widget of the query: `access_key` and `id_widget`. Throws like `requireWidget`. */
export function readVoiceWidget(c: AppContext): Promise<KnownWidget> {
  return requireWidget(c, {
    key: c.req.query("access_key"),
    id: c.req.query("id_widget"),
    kind: "voice",
    idField: "id_widget",
  });
}

import { type RouteConfig, z } from "@hono/zod-openapi";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { limitReads } from "../_shared/http/limit_reads.ts";
import { describeChatWidget } from "../_shared/widgets/describe_chat_widget.ts";
import { readWidgetQuery } from "./read_widget_query.ts";

/** Every view of a page with a widget asks once. */
const LOOKS = { what: "chat_look", perAddress: 1200 };

const chatWidgetSchema = z.object({
  widget_id: z.uuid(),
  kind: z.literal("chat"),
  company_name: z.string(),
  language: z.string().openapi({ description: "The language of `texts`" }),
  available_languages: z.array(z.string()),
  texts: z.record(z.string(), z.string()),
  colors: z.record(z.string(), z.string()).openapi({
    description: "`primary`, `secondary`, `background`, `text`, `accent` as #rrggbb",
  }),
  position: z.object({
    placement: z.enum(["bottom-right", "bottom-left", "top-right", "top-left"]),
    offset_x: z.number().int(),
    offset_y: z.number().int(),
    size: z.number().int().openapi({ description: "Of the button; all in pixels" }),
  }),
  features: z.object({ typing: z.boolean() }),
}).openapi("ChatWidget");

const route: RouteConfig = {
  method: "get",
  path: "/widget",
  summary: "What a chat widget looks like and says",
  description: "Takes the company's access key or a publishable one, as `access_key` or `customer_id`.",
  tags: ["Widgets"],
  request: {
    query: z.object({
      access_key: z.string().optional(),
      customer_id: z.string().optional(),
      widget_id: z.uuid().optional(),
      id_widget: z.uuid().optional(),
      lang: z.string().optional().openapi({ example: "es" }),
      page_origin: z.string().optional().openapi({
        description: "The page that shows the widget, where the widget host's frame asks for it",
        example: "https://shop.example",
      }),
    }),
  },
  responses: {
    200: { description: "The widget", content: { "application/json": { schema: chatWidgetSchema } } },
    ...errorResponses([400, 401, 403, 404, 429], [403]),
  },
};

/**
 * `GET /widget` answers the configuration of a chat widget, its texts in the language asked for. Fails with
 * `unauthorized`, `validation_failed`, `forbidden`, `not_found` or `rate_limit_exceeded`.
 */
export function registerGetWidget(app: App): void {
  addRoute(app, route, async (c) => {
    limitReads(c, LOOKS);
    const widget = await readWidgetQuery(c);
    return c.json(describeChatWidget(widget, c.req.query("lang")));
  });
}

import { z } from "@hono/zod-openapi";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { LOOK_EXAMPLE, lookFields, lookPart, showLook } from "../_shared/http/app/widget_look.ts";
import { limitReads } from "../_shared/http/guards/limits.ts";
import { describeChatWidget } from "../_shared/widgets/describe_widget.ts";
import { CHAT_WIDGET_KEY, chatWidgetQuery, readChatWidget } from "./read_chat_widget.ts";

/** Every view of a page with a widget makes one request. */
export const LOOK_READS = { what: "chat_look", perAddress: 1200 };

const chatWidgetSchema = z.object({
  widget_id: z.uuid(),
  kind: z.literal("chat"),
  company_name: z.string(),
  ...lookFields,
  features: z.object({ typing: z.boolean(), sound: z.boolean(), title_blink: z.boolean() }),
}).openapi("ChatWidget");

const route: ApiRoute = {
  method: "get",
  path: "/widget",
  operationId: "getChatWidget",
  summary: "Read the look and texts of a chat widget",
  description: "Takes the company's access key or a publishable one, as `access_key` or `customer_id`.",
  tags: ["Chat widget"],
  security: CHAT_WIDGET_KEY,
  request: {
    query: z.object({
      ...chatWidgetQuery,
      lang: z.string().optional().openapi({ example: "es" }),
      part: lookPart,
    }),
  },
  responses: {
    200: {
      description: "The widget",
      ...json(chatWidgetSchema, {
        widget_id: "0192f8a7-1c2d-7e3f-8a4b-5c6d7e8f9a0b",
        kind: "chat",
        company_name: "Acme",
        ...LOOK_EXAMPLE,
        features: { typing: true, sound: false, title_blink: false },
      }),
    },
    ...errorResponses([400, 401, 403, 404, 429], [403]),
  },
};

/**
 * `GET /widget` returns the configuration of a chat widget, with its texts in the requested language. Fails with
 * `unauthorized`, `validation_failed`, `forbidden`, `not_found` or `rate_limit_exceeded`.
 */
export function registerGetWidget(app: App): void {
  addRoute(app, route, async (c) => {
    limitReads(c, LOOK_READS);
    const widget = await readChatWidget(c);
    return showLook(c, describeChatWidget(widget, c.req.query("lang")));
  });
}

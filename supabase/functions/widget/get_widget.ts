import { z } from "@hono/zod-openapi";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { LOOK_EXAMPLE, lookFields, lookPart, showLook } from "../_shared/http/app/widget_look.ts";
import { limitReads } from "../_shared/http/guards/limits.ts";
import { orNull } from "../_shared/values/or_null.ts";
import { describeChatWidget } from "../_shared/widgets/describe_widget.ts";
import { CHAT_WIDGET_KEY, chatWidgetQuery, readChatWidget } from "./read_chat_widget.ts";

/** Every view of a page with a widget makes one request. */
export const LOOK_READS = { what: "chat_look", perAddress: 1200 };

const chatWidgetSchema = z.object({
  widget_id: z.uuid(),
  kind: z.literal("chat"),
  company_name: z.string(),
  ...lookFields,
  features: z.object({
    typing: z.boolean(),
    names: z.boolean(),
    files: z.boolean().openapi({ description: "Also false where this server stores no media" }),
    emoji: z.boolean(),
    rating: z.boolean(),
    sound: z.boolean(),
    title_blink: z.boolean(),
  }),
  quick_replies: z.array(z.string()).openapi({ description: "Texts to choose from with the welcome" }),
  open_times: z.array(z.object({ from: z.iso.datetime(), until: z.iso.datetime() })).nullable().openapi({
    description: "When members reply: the times of the next month, at most 20. Null without office hours",
  }),
  ask_email_after_minutes: z.number().int().nullable().openapi({
    description: "After so long without a reply, the chat asks for an e-mail address; null: never",
  }),
  consent: orNull(z.object({ text: z.string(), link: z.string().nullable() })).openapi({
    description: "What a visitor must accept to open a conversation",
  }),
  assistant: z.object({ mode: z.enum(["off", "search", "agent"]) }).openapi({
    description: "`search`: a machine replies first, from the company's documents; `agent`: an agent does",
  }),
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
        features: {
          ...{ typing: true, names: true, files: true, emoji: true, rating: true },
          ...{ sound: false, title_blink: false },
        },
        quick_replies: ["Where is my order?"],
        open_times: [{ from: "2026-12-01T08:00:00Z", until: "2026-12-01T17:00:00Z" }],
        ask_email_after_minutes: 5,
        consent: { text: "We store what you write here.", link: "https://shop.example/privacy" },
        assistant: { mode: "off" },
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
    return showLook(c, describeChatWidget(c.var.services, widget, c.req.query("lang")));
  });
}

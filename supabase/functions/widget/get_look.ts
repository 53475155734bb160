import { z } from "@hono/zod-openapi";
import { html, raw } from "hono/html";
import type { ApiRoute } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { newNonce, scriptJson } from "../_shared/http/app/inline_script.ts";
import { limitReads } from "../_shared/http/guards/limits.ts";
import { describeButton, describeChatWidget } from "../_shared/widgets/describe_widget.ts";
import { readOrigin } from "../_shared/widgets/page_origin.ts";
import { LOOK_READS } from "./get_widget.ts";
import { CHAT_WIDGET_KEY, chatWidgetQuery, readChatWidget } from "./read_chat_widget.ts";

const route: ApiRoute = {
  method: "get",
  path: "/widget/look",
  operationId: "getChatWidgetLook",
  summary: "The hidden page that passes the look of a chat widget's button to the page around it",
  tags: ["Chat widget"],
  security: CHAT_WIDGET_KEY,
  request: {
    query: z.object({ ...chatWidgetQuery, lang: z.string().optional().openapi({ example: "es" }) }),
  },
  responses: {
    200: { description: "The page", content: { "text/html": { schema: z.string() } } },
    ...errorResponses([400, 401, 403, 404, 429], [403]),
  },
};

/**
 * `GET /widget/look` responds with a page for a hidden iframe. The page posts the look of the button to the page around it,
 * which needs no request to the API of its own, and only to the origin that `page_origin` names. Fails with
 * `unauthorized`, `validation_failed`, `forbidden`, `not_found` or `rate_limit_exceeded`.
 */
export function registerGetLook(app: App): void {
  addRoute(app, route, async (c) => {
    limitReads(c, LOOK_READS);
    const widget = await readChatWidget(c);
    const theme = readByLoader(
      describeButton(describeChatWidget(c.var.services, widget, c.req.query("lang"))),
    );
    return await respondPage(c, { type: "outbound:theme", theme });
  });
}

/** Leaves out what the loader does not read: the button waits for these bytes. */
function readByLoader(look: ReturnType<typeof describeButton<ReturnType<typeof describeChatWidget>>>) {
  const { appearance, colors, dark_colors, position, launcher, proactive, texts, features } = look;
  const { sound, title_blink } = features;
  const read = { appearance, colors, dark_colors, position, launcher, proactive, texts };
  return { ...read, features: { sound, title_blink } };
}

/** A page without an origin needs `*`; a look contains no secret. */
async function respondPage(c: AppContext, message: unknown): Promise<Response> {
  const origin = readOrigin(c.req.query("page_origin") ?? "") ?? "*";
  const nonce = newNonce();
  c.header("Content-Security-Policy", `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'`);
  c.header("Referrer-Policy", "no-referrer");
  c.header("Cache-Control", "no-store");
  return await c.html(html`
    <!doctype html>
    <meta charset="utf-8">
    <title>Look of a widget</title>
    <script nonce="${nonce}">
    parent.postMessage(${raw(scriptJson(message))}, ${raw(scriptJson(origin))});
    </script>
  `);
}

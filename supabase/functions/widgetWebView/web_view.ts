import { z } from "@hono/zod-openapi";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { AppError, badFormat, missingField, notSetUp } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";
import { baseUrl } from "../_shared/http/app/urls.ts";
import { type KnownWidget, requireWidget } from "../_shared/http/guards/require_widget.ts";
import { describeChatWidget } from "../_shared/widgets/describe_widget.ts";
import { newNonce } from "../_shared/http/app/inline_script.ts";
import { contentSecurityPolicy, webViewPage } from "./web_view_page.ts";

/** The query of both forms of the path. */
export const webViewQuery = {
  lang: z.string().optional().openapi({ description: "The language of the texts", example: "es" }),
  showClose: z.enum(["true", "false"]).optional().openapi({
    description: "Whether visitors can close it; default true",
  }),
};

const html = { "text/html": { schema: z.string() } };

/** Errors are pages for clients that accept HTML, JSON for others. */
export const webViewResponses = {
  200: { description: "The page", content: html },
  ...Object.fromEntries(
    Object.entries(errorResponses([400, 403, 404, 502])).map(([status, response]) => [
      status,
      { ...response, content: { ...response.content, ...html } },
    ]),
  ),
};

export interface WebViewRequest {
  customerId: string | undefined;
  widgetId: string | undefined;
}

/** Responds with the page around a chat widget. Throws `validation_failed`, `forbidden`, `not_found`, `service_unavailable`. */
export async function respondWebView(c: AppContext, request: WebViewRequest): Promise<Response> {
  const widget = await findWidget(c, request);
  const showClose = readShowClose(c.req.query("showClose"));
  const widgetUrl = c.var.services.env.OUTBOUND_WIDGET_URL;
  if (!widgetUrl) {
    throw notSetUp(
      "widget_host",
      "The widget host is not set up on this server: OUTBOUND_WIDGET_URL is missing",
    );
  }
  const described = describeChatWidget(c.var.services, widget, c.req.query("lang"));
  const nonce = newNonce();
  c.header("Content-Security-Policy", contentSecurityPolicy(nonce, widgetUrl, widget.allowedOrigins));
  c.header("Referrer-Policy", "no-referrer");
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Cache-Control", "no-store");
  return c.html(webViewPage({ widget, described, baseUrl: baseUrl(c), widgetUrl, showClose, nonce }));
}

/** Finds the widget. Here the contract has 400 for a missing key, 403 for a wrong one, and one shape for all errors. */
async function findWidget(c: AppContext, { customerId, widgetId }: WebViewRequest): Promise<KnownWidget> {
  if (!customerId) throw missingField("customer_id");
  try {
    return await requireWidget(c, { key: customerId, id: widgetId, kind: "chat", idField: "widget_id" });
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    if (cause.code === "unauthorized") {
      throw new AppError("forbidden", "The access key in customer_id is invalid or revoked", { cause });
    }
    throw cause.code === "api_access_off" ? new AppError("forbidden", cause.message, { cause }) : cause;
  }
}

function readShowClose(given: string | undefined): boolean {
  if (given === undefined || given === "true") return true;
  if (given === "false") return false;
  throw badFormat("showClose", given, "true or false");
}

import { AppError, badFormat, missingField, notSetUp } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app.ts";
import { baseUrl } from "../_shared/http/base_url.ts";
import { type KnownWidget, requireWidget } from "../_shared/http/require_widget.ts";
import { describeChatWidget } from "../_shared/widgets/describe_chat_widget.ts";
import { contentSecurityPolicy } from "./content_security_policy.ts";
import { newNonce } from "./new_nonce.ts";
import { webViewPage } from "./web_view_page.ts";

export interface WebViewRequest {
  customerId: string | undefined;
  widgetId: string | undefined;
}

/** Answers the page around a chat widget. Throws `validation_failed`, `forbidden`, `not_found`, `service_unavailable`. */
export async function answerWebView(c: AppContext, request: WebViewRequest): Promise<Response> {
  const widget = await findWidget(c, request);
  const showClose = readShowClose(c.req.query("showClose"));
  const widgetUrl = c.var.services.env.WIDGET_URL;
  if (!widgetUrl) {
    throw notSetUp("widget_host", "WIDGET_URL is not set: there is no chat to show");
  }
  const described = describeChatWidget(widget, c.req.query("lang"));
  const nonce = newNonce();
  c.header("Content-Security-Policy", contentSecurityPolicy(nonce, widgetUrl, widget.allowedOrigins));
  c.header("Referrer-Policy", "no-referrer");
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Cache-Control", "no-store");
  return c.html(webViewPage({ widget, described, baseUrl: baseUrl(c), widgetUrl, showClose, nonce }));
}

/** The contract has 400 for what is missing and 403 for a wrong key here, and one form for all errors. */
async function findWidget(c: AppContext, { customerId, widgetId }: WebViewRequest): Promise<KnownWidget> {
  if (!customerId) throw missingField("customer_id");
  try {
    return await requireWidget(c, { key: customerId, id: widgetId, kind: "chat", idField: "widget_id" });
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    if (cause.code === "unauthorized") {
      throw new AppError("forbidden", "The customer_id is invalid, or it was revoked", { cause });
    }
    throw cause.shape === "short" ? new AppError(cause.code, cause.message, { cause }) : cause;
  }
}

function readShowClose(given: string | undefined): boolean {
  if (given === undefined || given === "true") return true;
  if (given === "false") return false;
  throw badFormat("showClose", given, "true or false");
}

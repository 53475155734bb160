import { z } from "@hono/zod-openapi";
import { findWidget, type WidgetForKey, type WidgetKind } from "../../db/widgets/widgets.ts";
import { invalidKey } from "../../access/key_refusal.ts";
import { AppError, badFormat, missingField } from "../../errors.ts";
import { presentKey, recordGoodKey, recordUnknownKey, requireApiAccess } from "./access_key.ts";
import type { AppContext } from "../app/context.ts";
import { baseUrl } from "../app/urls.ts";

/** The key that opens a widget, for the API document. */
export const widgetKeyParam = z.string().openapi({
  description: "A publishable key of the company, or its access key",
  example: "pk_4tRw8hLjN6yE5uQ9oIiTnBkq3V1c2sGm",
});

export interface RequestedWidget {
  /** The company's access key, or a publishable one. */
  key: string | undefined;
  /** As the client sent it. */
  id: string | undefined;
  kind: WidgetKind;
  /** The route's name for the id. */
  idField: string;
}

export interface KnownWidget {
  companyId: string;
  companyName: string;
  id: string;
  key: string;
  publishable: boolean;
  config: unknown;
  allowedOrigins: string[];
}

/**
 * Returns the widget that a request names by key and id.
 *
 * Throws `unauthorized`, `validation_failed`, `not_found` for a widget that is not there, of another kind, off or of
 * another company, `forbidden` for a page that it may not be shown on, and `api_access_off`.
 */
export async function requireWidget(c: AppContext, wanted: RequestedWidget): Promise<KnownWidget> {
  if (!wanted.key) {
    throw new AppError("unauthorized", "Missing access_key: add ?access_key=<a key> to the URL");
  }
  if (!wanted.id) throw missingField(wanted.idField);
  const widgetId = z.uuid().safeParse(wanted.id).data;
  if (widgetId === undefined) throw badFormat(wanted.idField, wanted.id, "a UUID");
  const found = await findWidget(c.get("services").sql, {
    key: wanted.key,
    keyHash: presentKey(c, wanted.key, "widget"),
    widgetId,
  });
  if (!found) {
    recordUnknownKey(c);
    throw AppError.from(invalidKey());
  }
  recordGoodKey(c);
  c.set("companyId", found.company_id);
  // A page that opens a widget begins something, whatever the method.
  requireApiAccess(found, "acts");
  const widget = describe(found, wanted);
  requireAllowedOrigin(c, widget.allowedOrigins);
  return widget;
}

function describe(found: WidgetForKey, { kind, key }: RequestedWidget): KnownWidget {
  if (found.widget_id === null || found.kind !== kind) {
    throw new AppError("not_found", `This company has no ${kind} widget with this id`);
  }
  return {
    companyId: found.company_id,
    companyName: found.company_name,
    id: found.widget_id,
    key: key!,
    publishable: found.publishable,
    config: found.config,
    allowedOrigins: found.allowed_origins,
  };
}

/**
 * Refuses a browser's request from a page that a widget may not be shown on. The widget host and this service, which serve
 * the widget's iframes, are allowed besides the widget's own list. The voice widget's iframe names its page in
 * `page_origin`, which that page cannot change. A request without either does not come from a page. Throws `forbidden`.
 */
export function requireAllowedOrigin(c: AppContext, allowed: string[]): void {
  if (allowed.length === 0) return;
  const { OUTBOUND_WIDGET_URL } = c.get("services").env;
  const own = [baseUrl(c), ...(OUTBOUND_WIDGET_URL ? [OUTBOUND_WIDGET_URL] : [])].map((url) =>
    new URL(url).origin
  );
  for (const origin of [c.req.header("Origin"), c.req.query("page_origin")]) {
    if (origin === undefined || allowed.includes(origin) || own.includes(origin)) continue;
    throw new AppError("forbidden", "This widget may not be used on this page");
  }
}

import { z } from "zod";
import { findWidget, type WidgetForKey, type WidgetKind } from "../db/widgets.ts";
import { AppError, badFormat, missingField } from "../errors.ts";
import { apiAccessOff, invalidKey, noteGoodKey, presentKey } from "./access_key.ts";
import type { AppContext } from "./app.ts";
import { requireAllowedOrigin } from "./require_allowed_origin.ts";

export interface RequestedWidget {
  /** The company's access key, or a publishable one. */
  key: string | undefined;
  /** As the client wrote it. */
  id: string | undefined;
  kind: WidgetKind;
  /** What the route calls the id. */
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
 * The widget that a request names by key and id.
 *
 * Throws `unauthorized`, `validation_failed`, `not_found` for a widget that is not there, of another kind, off or of
 * another company, and `forbidden` for a page it may not be shown on; also, in the short shape, when the company's API
 * access is off.
 */
export async function requireWidget(c: AppContext, wanted: RequestedWidget): Promise<KnownWidget> {
  if (!wanted.key) {
    throw new AppError("unauthorized", "Missing access_key: add ?access_key=<a key> to the URL");
  }
  if (!wanted.id) throw missingField(wanted.idField);
  const widgetId = z.uuid().safeParse(wanted.id).data;
  if (widgetId === undefined) throw badFormat(wanted.idField, wanted.id, "a UUID");
  const found = await findWidget(c.var.services.sql, {
    key: wanted.key,
    keyHash: presentKey(c, wanted.key, "widget"),
    widgetId,
  });
  if (!found) throw invalidKey(c);
  noteGoodKey(c);
  c.set("companyId", found.company_id);
  if (!found.api_access) throw apiAccessOff();
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

import { jsonParameter, type Sql } from "../connect.ts";
import type { VisitorCaps } from "./visitor_limits.ts";

export type WidgetKind = "chat" | "voice";

/** A company and one of its widgets, as the holder of a key sees them. */
export interface WidgetForKey {
  company_id: string;
  company_name: string;
  api_access: boolean;
  /** Whether it was a publishable key and not the company's own. */
  publishable: boolean;
  /** Null, with all below, when the company has no such widget, or it is off. */
  widget_id: string | null;
  kind: WidgetKind;
  config: unknown;
  allowed_origins: string[];
}

export interface WidgetQuery {
  /** The key on the page: a company's access key, or a publishable one. */
  key: string;
  keyHash: string;
  widgetId: string;
}

/** Finds a widget for the holder of a key; undefined when the key is not valid. Counts no request. */
export async function findWidget(sql: Sql, query: WidgetQuery): Promise<WidgetForKey | undefined> {
  const [row] = await sql<WidgetForKey[]>`
    select * from outbound.widget_for_key(${query.key}, ${query.keyHash}, ${query.widgetId})`;
  return row;
}

/** A widget's settings. */
export interface WidgetSettings {
  name: string;
  config: Record<string, unknown>;
  /** Origins of the pages that may show it; empty is any. */
  allowedOrigins: string[];
}

/** Stores a widget and returns its id. */
export async function insertWidget(
  sql: Sql,
  { companyId, kind, name, config, allowedOrigins }: WidgetSettings & { companyId: string; kind: WidgetKind },
): Promise<{ widgetId: string }> {
  const [row] = await sql<{ widgetId: string }[]>`
      insert into outbound.widgets (company_id, kind, name, config, allowed_origins)
      values (${companyId}, ${kind}, ${name}, ${jsonParameter(sql, config)}, ${allowedOrigins})
      returning id as "widgetId"`;
  return row!;
}

/** A widget as operators see it. */
export interface WidgetRow extends WidgetSettings {
  widgetId: string;
  companyId: string;
  kind: WidgetKind;
  isActive: boolean;
  /** In minutes. */
  maxSession: number;
  /** Per day. */
  caps: VisitorCaps;
  createdAt: Date;
}

/** Returns the widgets of one company, or of all, or the one with this id. */
export async function readWidgets(
  sql: Sql,
  { companyId, widgetId }: { companyId?: string | undefined; widgetId?: string },
): Promise<WidgetRow[]> {
  return await sql<WidgetRow[]>`
    select id as "widgetId", company_id as "companyId", kind, name, config, allowed_origins as "allowedOrigins",
      is_active as "isActive", max_session_minutes as "maxSession", created_at as "createdAt",
      json_build_object('voiceSessions', max_voice_sessions_per_day, 'voiceMinutes', max_voice_minutes_per_day,
        'conversations', max_conversations_per_day, 'storedMb', max_stored_mb_per_day) as caps
    from outbound.widgets
    where true ${companyId ? sql`and company_id = ${companyId}` : sql``}
      ${widgetId ? sql`and id = ${widgetId}` : sql``}
    order by company_id, created_at, id`;
}

/** Replaces the settings of a widget. */
export async function updateWidgetSettings(
  sql: Sql,
  { widgetId, name, config, isActive, allowedOrigins, maxSession, caps }: Omit<
    WidgetRow,
    "companyId" | "kind" | "createdAt"
  >,
): Promise<void> {
  await sql`
      update outbound.widgets
      set name = ${name}, config = ${jsonParameter(sql, config)}, is_active = ${isActive},
        allowed_origins = ${allowedOrigins},
        max_session_minutes = ${maxSession},
        max_voice_sessions_per_day = ${caps.voiceSessions},
        max_voice_minutes_per_day = ${caps.voiceMinutes},
        max_conversations_per_day = ${caps.conversations},
        max_stored_mb_per_day = ${caps.storedMb}, updated_at = now()
      where id = ${widgetId}`;
}

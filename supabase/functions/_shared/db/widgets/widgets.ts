import { afterRow } from "../driver/after_row.ts";
import { type Actor, withoutAudited } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import type { CapChanges, VisitorCaps } from "./visitor_limits.ts";

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
  allowed_origins: string[];
}

/** Stores a widget and returns its id. */
export async function insertWidget(
  sql: Sql,
  { companyId, kind, name, config, allowed_origins }: WidgetSettings & {
    companyId: string;
    kind: WidgetKind;
  },
  by: Actor,
): Promise<{ widget_id: string }> {
  const [row] = await sql<{ widget_id: string }[]>`
    with added as (
      insert into outbound.widgets (company_id, kind, name, config, allowed_origins)
      values (${companyId}, ${kind}, ${name}, ${jsonParameter(sql, config)}, ${allowed_origins})
      returning *
    )
    select id as widget_id, outbound.write_audit(
      company_id, ${by.actor}, 'widget.created', id::text, null,
      jsonb_build_object('kind', kind, 'name', name, 'allowed_origins', allowed_origins), ${
    by.requestId ?? null
  }
    ) from added`;
  return { widget_id: row!.widget_id };
}

/** A widget as operators see it. */
export interface WidgetRow extends WidgetSettings {
  widget_id: string;
  company_id: string;
  kind: WidgetKind;
  is_active: boolean;
  max_session_minutes: number;
  /** Per day. */
  caps: VisitorCaps;
  created_at: Date;
}

function widgetColumns(sql: Sql) {
  return sql`
    id as widget_id, company_id, kind, name, config, allowed_origins,
    is_active, max_session_minutes, created_at,
    json_build_object('voice_sessions', max_voice_sessions_per_day, 'voice_minutes', max_voice_minutes_per_day,
      'conversations', max_conversations_per_day, 'stored_mb', max_stored_mb_per_day) as caps`;
}

/** Returns the widgets of one company, or of all, or the one with this id. */
export async function readWidgets(
  sql: Sql,
  { companyId, widgetId }: { companyId?: string | undefined; widgetId?: string },
): Promise<WidgetRow[]> {
  return await sql<WidgetRow[]>`
    select ${widgetColumns(sql)} from outbound.widgets
    where true ${companyId ? sql`and company_id = ${companyId}` : sql``}
      ${widgetId ? sql`and id = ${widgetId}` : sql``}
    order by company_id, created_at, id`;
}

/** Keeps other transactions from changing a widget until this one ends. */
export async function lockWidget(
  sql: Sql,
  { companyId, widgetId }: { companyId: string; widgetId: string },
): Promise<void> {
  await sql`select from outbound.widgets where company_id = ${companyId} and id = ${widgetId} for no key update`;
}

/** Returns a page of a company's widgets, newest first. */
export async function readWidgetPage(
  sql: Sql,
  { companyId, kind, after, limit }: {
    companyId: string;
    kind?: WidgetKind | undefined;
    after?: string | undefined;
    limit: number;
  },
): Promise<WidgetRow[]> {
  return await sql<WidgetRow[]>`
    select ${widgetColumns(sql)} from outbound.widgets
    where company_id = ${companyId} ${kind ? sql`and kind = ${kind}` : sql``}
      ${afterRow(sql, "widgets", { table: "outbound.widgets", companyId, after })}
    order by created_at desc, id desc limit ${limit}`;
}

/** The settings of a widget to change; the others stay. A configuration replaces the one before as a whole. */
export interface WidgetChanges {
  name?: string | undefined;
  config?: Record<string, unknown> | undefined;
  allowed_origins?: string[] | undefined;
  is_active?: boolean | undefined;
  caps?: CapChanges | undefined;
  max_session_minutes?: number | undefined;
}

/** The audit names the parts of a configuration, but holds none of its texts. */
function auditedFields(sql: Sql, widget: string) {
  const w = sql(widget);
  return sql`(
    select to_jsonb(f) from (
      select ${w}.name, ${w}.is_active, ${w}.allowed_origins, ${w}.max_session_minutes, ${w}.max_voice_sessions_per_day,
        ${w}.max_voice_minutes_per_day, ${w}.max_conversations_per_day, ${w}.max_stored_mb_per_day,
        md5(${w}.config::text) as config_digest
    ) as f
  )`;
}

/** Changes settings of a widget and returns it. Undefined when the company has no such widget. */
export async function updateWidgetSettings(
  sql: Sql,
  { companyId, widgetId }: { companyId: string; widgetId: string },
  { name, config, allowed_origins, is_active, caps = {}, max_session_minutes }: WidgetChanges,
  by: Actor,
): Promise<WidgetRow | undefined> {
  const [row] = await sql<(WidgetRow & { audited: string })[]>`
    with old as materialized (
      select * from outbound.widgets where company_id = ${companyId} and id = ${widgetId} for no key update
    ),
    changed as (
      update outbound.widgets as w
      set name = coalesce(${name ?? null}, w.name), is_active = coalesce(${is_active ?? null}, w.is_active),
        config = coalesce(${config ? jsonParameter(sql, config) : null}, w.config),
        allowed_origins = coalesce(${allowed_origins ?? null}, w.allowed_origins),
        max_session_minutes = coalesce(${max_session_minutes ?? null}, w.max_session_minutes),
        max_voice_sessions_per_day = coalesce(${caps.voice_sessions ?? null}, w.max_voice_sessions_per_day),
        max_voice_minutes_per_day = coalesce(${caps.voice_minutes ?? null}, w.max_voice_minutes_per_day),
        max_conversations_per_day = coalesce(${caps.conversations ?? null}, w.max_conversations_per_day),
        max_stored_mb_per_day = coalesce(${
    caps.stored_mb ?? null
  }, w.max_stored_mb_per_day), updated_at = now()
      from old where w.company_id = old.company_id and w.id = old.id
      returning w.*
    ),
    audited as materialized (
      select changed.id, outbound.audit_change(
        changed.company_id, ${by.actor}, 'widget.updated', changed.id::text, ${auditedFields(sql, "old")},
        ${auditedFields(sql, "changed")}, ${by.requestId ?? null}
      ) as audited from changed cross join old
    )
    select ${widgetColumns(sql)}, audited from changed join audited using (id)`;
  return row && withoutAudited(row);
}

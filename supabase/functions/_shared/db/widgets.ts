import type { Sql } from "./connect.ts";

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
  /** What the page shows: a company's access key, or a publishable one. */
  key: string;
  keyHash: string;
  widgetId: string;
}

/** Looks for a widget for the holder of a key; undefined when the key is no good. Counts nothing. */
export async function findWidget(sql: Sql, query: WidgetQuery): Promise<WidgetForKey | undefined> {
  const [row] = await sql<WidgetForKey[]>`
    select * from outbound.widget_for_key(${query.key}, ${query.keyHash}, ${query.widgetId})`;
  return row;
}

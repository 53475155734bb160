import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { checkWidgetConfig } from "./check_widget_config.ts";
import { badWidgetName } from "./create_widget.ts";
import { refuseOnConstraint } from "./refuse_on_constraint.ts";
import { requireOneLine } from "./require_one_line.ts";
import { showWidget } from "./show_widget.ts";

export interface WidgetChange {
  widgetId: string;
  name?: string | undefined;
  config?: unknown;
  allowedOrigins?: string[] | undefined;
  isActive?: boolean | undefined;
}

/**
 * Changes a widget; what is not given stays. A configuration replaces the one before as a whole.
 *
 * @throws {CommandError} `bad_value` for a configuration that does not fit, `not_found`
 */
export async function updateWidget(
  { sql }: { sql: Sql },
  change: WidgetChange,
): Promise<{ widgetId: string; isActive: boolean }> {
  const { widgetId } = change;
  requireOneLine({ name: change.name });
  const now = await showWidget({ sql }, { widgetId });
  const config = change.config === undefined ? now.config : checkWidgetConfig(now.kind, change.config);
  const isActive = change.isActive ?? now.isActive;
  await refuseOnConstraint(
    sql`
      update outbound.widgets
      set name = ${change.name ?? now.name}, config = ${sql.json(config as never)}, is_active = ${isActive},
        allowed_origins = ${change.allowedOrigins ?? now.allowedOrigins}, updated_at = now()
      where id = ${widgetId}`,
    { widgets_name_check: badWidgetName },
  );
  return { widgetId, isActive };
}

import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { checkWidgetConfig } from "./check_widget_config.ts";
import { badOrigins, badWidgetName } from "./create_widget.ts";
import { refuseOnConstraint } from "./refuse_on_constraint.ts";
import { requireOneLine } from "./require_one_line.ts";
import { showWidget } from "./show_widget.ts";
import { badCap, type CapChanges } from "./visitor_caps.ts";

export interface WidgetChange {
  widgetId: string;
  name?: string | undefined;
  config?: unknown;
  allowedOrigins?: string[] | undefined;
  isActive?: boolean | undefined;
  caps?: CapChanges;
  /** In minutes. */
  maxSession?: number | undefined;
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
  const { widgetId, caps } = change;
  requireOneLine({ name: change.name });
  const now = await showWidget({ sql }, { widgetId });
  const config = change.config === undefined ? now.config : checkWidgetConfig(now.kind, change.config);
  const isActive = change.isActive ?? now.isActive;
  await refuseOnConstraint(
    sql`
      update outbound.widgets
      set name = ${change.name ?? now.name}, config = ${sql.json(config as never)}, is_active = ${isActive},
        allowed_origins = ${change.allowedOrigins ?? now.allowedOrigins},
        max_session_minutes = ${change.maxSession ?? now.maxSession},
        max_voice_sessions_per_day = ${caps?.voiceSessions ?? now.caps.voiceSessions},
        max_voice_minutes_per_day = ${caps?.voiceMinutes ?? now.caps.voiceMinutes},
        max_conversations_per_day = ${caps?.conversations ?? now.caps.conversations},
        max_stored_mb_per_day = ${caps?.storedMb ?? now.caps.storedMb}, updated_at = now()
      where id = ${widgetId}`,
    { widgets_name_check: badWidgetName, widgets_origins_check: badOrigins, widgets_caps_check: badCap },
  );
  return { widgetId, isActive };
}

import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { listWidgets, type WidgetRow } from "./list_widgets.ts";

/**
 * One widget with its configuration.
 *
 * @throws {CommandError} `not_found`
 */
export async function showWidget(
  { sql }: { sql: Sql },
  { widgetId }: { widgetId: string },
): Promise<WidgetRow> {
  const [row] = await listWidgets({ sql }, { widgetId });
  if (!row) throw new CommandError("not_found", `No widget with id ${widgetId}`);
  return row;
}

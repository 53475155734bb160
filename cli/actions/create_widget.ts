import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import type { WidgetKind } from "../../supabase/functions/_shared/db/widgets.ts";
import { CommandError } from "../command_error.ts";
import { checkWidgetConfig } from "./check_widget_config.ts";
import { refuseOnConstraint } from "./refuse_on_constraint.ts";
import { requireOneLine } from "./require_one_line.ts";
import { unknownCompany } from "./unknown_company.ts";

export interface NewWidget {
  companyId: string;
  kind: WidgetKind;
  name: string;
  config: unknown;
  /** Origins of the pages that may show it; empty is any. */
  allowedOrigins: string[];
}

/**
 * Makes a widget.
 *
 * @throws {CommandError} `bad_value` for a configuration that does not fit, `not_found`
 */
export async function createWidget(
  { sql }: { sql: Sql },
  { companyId, kind, name, config, allowedOrigins }: NewWidget,
): Promise<{ widgetId: string }> {
  requireOneLine({ name });
  const checked = checkWidgetConfig(kind, config);
  const [row] = await refuseOnConstraint(
    sql<{ widgetId: string }[]>`
      insert into outbound.widgets (company_id, kind, name, config, allowed_origins)
      values (${companyId}, ${kind}, ${name}, ${sql.json(checked as never)}, ${allowedOrigins})
      returning id as "widgetId"`,
    {
      widgets_company_fkey: () => unknownCompany(companyId),
      widgets_name_check: badWidgetName,
      widgets_origins_check: badOrigins,
    },
  );
  return row!;
}

/** The refusal for a name that is too short or too long. */
export function badWidgetName(): CommandError {
  return new CommandError("bad_value", "The name must have 1 to 200 characters");
}

/** The refusal for allowed origins that are none, or too many. */
export function badOrigins(): CommandError {
  return new CommandError(
    "bad_value",
    "Allowed origins are up to 100 origins such as https://shop.example, without wildcards",
  );
}

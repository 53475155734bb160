import { findVoiceAgent } from "../../supabase/functions/_shared/db/calls/agents.ts";
import { readCompanyCaps } from "../../supabase/functions/_shared/db/access/companies.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  readVisitorUsage,
  type VisitorCaps,
} from "../../supabase/functions/_shared/db/widgets/visitor_limits.ts";
import {
  insertWidget,
  readWidgets,
  updateWidgetSettings,
  type WidgetChanges,
  type WidgetKind,
  type WidgetRow,
} from "../../supabase/functions/_shared/db/widgets/widgets.ts";
import { CONFIG_SCHEMAS } from "../../supabase/functions/_shared/widgets/widget_config.ts";
import { CommandError } from "../errors/command_error.ts";
import { refuseOnConstraint, requireCompanies, requireOneLine } from "../errors/refusals.ts";

export interface NewWidget {
  companyId: string;
  kind: WidgetKind;
  name: string;
  config: unknown;
  /** Origins of the pages that may show it; empty is any. */
  allowedOrigins: string[];
}

/**
 * Creates a widget.
 *
 * @throws {CommandError} `bad_value` for an invalid configuration, `not_found`
 */
export async function createWidget(
  { sql }: { sql: Sql },
  widget: NewWidget,
): Promise<{ widgetId: string }> {
  const { companyId, kind, name } = widget;
  requireOneLine({ name });
  await requireCompanies(sql, companyId);
  const config = await checkConfig(sql, { companyId, kind }, widget.config);
  const made = { companyId, kind, name, config, allowed_origins: widget.allowedOrigins };
  const { widget_id: widgetId } = await refuseOnConstraint(insertWidget(sql, made, CLI), { companyId });
  return { widgetId };
}

/**
 * Returns the widgets of one company, or of all.
 *
 * @throws {CommandError} `not_found`
 */
export async function listWidgets(
  { sql }: { sql: Sql },
  { companyId }: { companyId?: string | undefined } = {},
): Promise<WidgetRow[]> {
  if (companyId) await requireCompanies(sql, companyId);
  return await readWidgets(sql, { companyId });
}

export interface ShownWidget extends WidgetRow {
  /** Today, in UTC. */
  used: VisitorCaps;
  company: { caps: VisitorCaps; used: VisitorCaps };
}

/**
 * Returns one widget with its configuration, and what its visitors have used today of its caps and its company's.
 *
 * @throws {CommandError} `not_found`
 */
export async function showWidget(
  { sql }: { sql: Sql },
  { widgetId }: { widgetId: string },
): Promise<ShownWidget> {
  const [row] = await readWidgets(sql, { widgetId });
  if (!row) throw noWidget(widgetId);
  const { company_id: companyId } = row;
  return {
    ...row,
    used: await readVisitorUsage(sql, { companyId, subjectId: widgetId }),
    company: {
      caps: await readCompanyCaps(sql, companyId),
      used: await readVisitorUsage(sql, { companyId, subjectId: companyId }),
    },
  };
}

/** The settings to change; the configuration is not checked yet. */
export type WidgetChange = Omit<WidgetChanges, "config"> & { widgetId: string; config?: unknown };

/**
 * Changes the given settings of a widget; the others stay. A configuration replaces the one before as a whole.
 *
 * @throws {CommandError} `bad_value` for an invalid configuration, `not_found`
 */
export async function updateWidget(
  { sql }: { sql: Sql },
  change: WidgetChange,
): Promise<{ widgetId: string; isActive: boolean }> {
  const { widgetId, config: given, ...changes } = change;
  requireOneLine({ name: change.name });
  const { company_id: companyId, kind } = await showWidget({ sql }, { widgetId });
  const config = given === undefined ? undefined : await checkConfig(sql, { companyId, kind }, given);
  const widget = await refuseOnConstraint(
    updateWidgetSettings(sql, { companyId, widgetId }, { ...changes, config }, CLI),
  );
  if (!widget) throw noWidget(widgetId);
  return { widgetId, isActive: widget.is_active };
}

function noWidget(widgetId: string): CommandError {
  return new CommandError("not_found", `No widget with id ${widgetId}`);
}

/**
 * Checks a configuration as the service reads it. Missing fields stay missing, so that they follow our defaults. A voice
 * widget names an agent of the company.
 */
async function checkConfig(
  sql: Sql,
  { companyId, kind }: { companyId: string; kind: WidgetKind },
  config: unknown,
): Promise<Record<string, unknown>> {
  const { error, data } = CONFIG_SCHEMAS[kind].safeParse(config);
  if (error) {
    const { path, message } = error.issues[0]!;
    throw invalidConfig([path.join("."), message].filter(Boolean).join(": "));
  }
  const { agent_id: agentId } = data as { agent_id?: string };
  if (agentId !== undefined && !await findVoiceAgent(sql, { companyId, agentId })) {
    throw invalidConfig("agent_id: no agent of the company; add it with agent create");
  }
  return config as Record<string, unknown>;
}

function invalidConfig(fault: string): CommandError {
  return new CommandError("bad_value", `Invalid configuration: ${fault}`);
}

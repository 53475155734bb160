import { z } from "@hono/zod-openapi";
import { checkFields } from "../../_shared/check_fields.ts";
import { isOneLine, ONE_LINE, WITHOUT_CONTROLS } from "../../_shared/values/control_characters.ts";
import { findVoiceAgent } from "../../_shared/db/calls/agents.ts";
import type { Sql } from "../../_shared/db/driver/connect.ts";
import { lockWidget, readWidgets, type WidgetKind } from "../../_shared/db/widgets/widgets.ts";
import { AppError, badFormat } from "../../_shared/errors.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { readOrigin } from "../../_shared/widgets/page_origin.ts";
import { CONFIG_SCHEMAS } from "../../_shared/widgets/widget_config.ts";
import type { SettingsDocument } from "../settings_document.ts";
import { capsExample, capsSchema } from "../visitor_caps.ts";

/** Texts in many languages are long. */
export const MAX_CONFIG_BYTES = 256 * 1024;

export const kindSchema = z.enum(["chat", "voice"], { error: "chat or voice" });

export const nameSchema = z.string().min(1, "1 to 200 characters").max(200, "1 to 200 characters")
  .refine(isOneLine, `one line of ${WITHOUT_CONTROLS}`).openapi({ pattern: ONE_LINE });

export const configSchema = z.record(z.string(), z.unknown()).openapi({
  description:
    "Colours, position, texts and features, as docs/widgets.md describes them. What is missing follows our " +
    "defaults",
});

const ORIGIN_FORMAT = "an origin such as https://shop.example, without wildcards";

export const originsSchema = z.array(
  z.string().max(300).refine((text) => readOrigin(text) !== undefined, ORIGIN_FORMAT),
).max(100, "at most 100 origins").openapi({ description: "The pages that may show it; empty is any" });

/** Returns origins as browsers write them, each once. */
export function originsOf(texts: string[]): string[] {
  return [...new Set(texts.map((text) => readOrigin(text)!))];
}

/** The agents in a configuration of either kind. */
interface NamedAgents {
  agent_id?: string;
  assistant?: { agent_id?: string };
}

/**
 * Checks a configuration of a company's widget and returns it as it was given: missing fields follow our defaults. The
 * agents that it names are the company's. Throws `validation_failed`.
 */
export async function checkConfig(
  sql: Sql,
  { companyId, kind }: { companyId: string; kind: WidgetKind },
  config: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { agent_id, assistant } = checkFields(CONFIG_SCHEMAS[kind], config, "config") as NamedAgents;
  for (
    const [field, agentId] of [["agent_id", agent_id], ["assistant.agent_id", assistant?.agent_id]] as const
  ) {
    if (agentId === undefined || await findVoiceAgent(sql, { companyId, agentId })) continue;
    throw badFormat(`config.${field}`, agentId, "an agent of the company, as GET …/agents lists them");
  }
  return config;
}

export const widgetSchema = z.object({
  widget_id: z.guid(),
  kind: kindSchema,
  name: z.string(),
  is_active: z.boolean(),
  allowed_origins: z.array(z.string()).openapi({ description: "The pages that may show it; empty is any" }),
  config: configSchema,
  max_session_minutes: z.number().int().openapi({ description: "Of one voice session" }),
  caps: capsSchema,
  created_at: z.iso.datetime(),
}).openapi("Widget");

export const widgetExample: z.input<typeof widgetSchema> = {
  widget_id: "0f8fad5b-d9cb-469f-a165-70867728950e",
  kind: "chat",
  name: "Shop",
  is_active: true,
  allowed_origins: ["https://shop.example"],
  config: { colors: { primary: "#1f5eff" } },
  max_session_minutes: 10,
  caps: capsExample,
  created_at: "2026-12-01T09:00:00Z",
};
/** The refusal for an id that names no widget of the company. */
export function noWidget(): AppError {
  return new AppError("not_found", "Widget not found");
}

/** A widget's settings. */
export const WIDGET_SETTINGS: SettingsDocument<{ widget_id: string }> = {
  lock: (sql, { companyId, params: { widget_id: widgetId } }) => lockWidget(sql, { companyId, widgetId }),
  async read(sql, { companyId, params: { widget_id: widgetId } }) {
    const [row] = await readWidgets(sql, { companyId, widgetId });
    if (row === undefined) throw noWidget();
    return showRow(widgetSchema, row);
  },
};

import { type Command, Option } from "commander";
import type { WidgetKind, WidgetRow } from "../../supabase/functions/_shared/db/widgets/widgets.ts";
import { CommandError } from "../errors/command_error.ts";
import { type Column, renderFields, renderTable, snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { pageOrigin, readJsonFile, uuid, wholeNumber } from "../terminal/values.ts";
import { addCapOptions, type CapOptions, capsOf, describeUsage } from "../visitor_caps.ts";
import { createWidget, listWidgets, showWidget, updateWidget } from "./actions.ts";

const COLUMNS: Column<WidgetRow>[] = [
  ["WIDGET", (row) => row.widget_id],
  ["COMPANY", (row) => row.company_id],
  ["KIND", (row) => row.kind],
  ["NAME", (row) => row.name],
  ["PAGES", (row) => pages(row.allowed_origins)],
  ["STATE", (row) => state(row)],
  ["CREATED", (row) => row.created_at],
];

/** `widget create | update | disable | enable | show | list`. */
export function addWidgetCommands(program: Command, run: Run): void {
  const widget = program.command("widget").description("manage chat and voice widgets for web pages");
  addCreate(widget, run);
  addUpdate(widget, run);
  addSwitch(widget, run, { name: "disable", isActive: false, description: "stop showing a widget" });
  addSwitch(widget, run, { name: "enable", isActive: true, description: "show a disabled widget again" });
  addShow(widget, run);
  widget.command("list").description("list widgets, oldest first")
    .option("--company <id>", "only this company's", uuid)
    .action(({ company }: { company?: string }) =>
      run(async (session) => {
        const rows = await listWidgets(session, { companyId: company });
        return { json: { widgets: rows.map(listed) }, text: renderTable(COLUMNS, rows, "No widgets yet") };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin widget list --company "$COMPANY"');
}

interface CreateOptions {
  company: string;
  kind: WidgetKind;
  name?: string;
  config?: string;
  allowedOrigin?: string[];
}

function addCreate(widget: Command, run: Run): void {
  widget.command("create").description("create a widget and print its id")
    .requiredOption("--company <id>", "the widget's company", uuid)
    .addOption(
      new Option("--kind <kind>", "what visitors do with it").choices(["chat", "voice"])
        .makeOptionMandatory(),
    )
    .option("--name <name>", "1 to 200 characters, for people")
    .option(
      "--config <file>",
      "colors and texts as JSON; - reads standard input. A voice widget needs an agent_id",
    )
    .option(
      "--allowed-origin <origin>",
      "a page that may show it; repeatable (default: any page)",
      pageOrigin,
    )
    .action(({ company, kind, name = `${kind} widget`, config, allowedOrigin = [] }: CreateOptions) =>
      run(async (session) => {
        const made = await createWidget(session, {
          companyId: company,
          kind,
          name,
          config: config === undefined ? {} : await readJsonFile(config),
          allowedOrigins: allowedOrigin,
        });
        return { json: snakeKeys(made), text: made.widgetId };
      })
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task admin widget create --company "$COMPANY" --kind chat
  deno task admin widget create --company "$COMPANY" --kind voice --config voice.json --allowed-origin https://shop.example`,
    );
}

interface UpdateOptions extends CapOptions {
  maxSessionMinutes?: number;
  name?: string;
  config?: string;
  allowedOrigin?: string[];
  anyOrigin?: boolean;
}

function addUpdate(widget: Command, run: Run): void {
  addCapOptions(widget.command("update")).description("change a widget; settings that are not given stay")
    .argument("<widget-id>", "the widget's id", uuid)
    .option("--name <name>", "1 to 200 characters, for people")
    .option("--config <file>", "replace the whole configuration; - reads standard input")
    .option("--allowed-origin <origin>", "replace the list of pages; repeatable", pageOrigin)
    .option("--any-origin", "let any page show it")
    .option("--max-session-minutes <number>", "limit of one voice session, 1 to 45", wholeNumber(1))
    .action((widgetId: string, options: UpdateOptions) =>
      run(async (session) => {
        const { name, config, allowedOrigin, anyOrigin, maxSessionMinutes } = options;
        if (allowedOrigin && anyOrigin) {
          throw new CommandError("bad_value", "Give --allowed-origin or --any-origin, not both");
        }
        if (Object.keys(options).length === 0) {
          throw new CommandError("bad_value", "Nothing to change: give at least one option, see --help");
        }
        const changed = await updateWidget(session, {
          widgetId,
          name,
          config: config === undefined ? undefined : await readJsonFile(config),
          allowed_origins: anyOrigin ? [] : allowedOrigin,
          caps: capsOf(options),
          max_session_minutes: maxSessionMinutes,
        });
        return { json: snakeKeys(changed), text: `Widget ${widgetId} changed` };
      })
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task admin widget update "$WIDGET" --config chat.json --any-origin
  deno task admin widget update "$WIDGET" --max-voice-minutes 120 --max-session-minutes 5`,
    );
}

function addSwitch(
  widget: Command,
  run: Run,
  { name, isActive, description }: { name: string; isActive: boolean; description: string },
): void {
  widget.command(name).description(description)
    .argument("<widget-id>", "the widget's id", uuid)
    .action((widgetId: string) =>
      run(async (session) => {
        const changed = await updateWidget(session, { widgetId, is_active: isActive });
        return { json: snakeKeys(changed), text: `Widget ${widgetId} is ${isActive ? "on" : "off"}` };
      })
    )
    .addHelpText("after", `\nExample:\n  deno task admin widget ${name} "$WIDGET"`);
}

function addShow(widget: Command, run: Run): void {
  widget.command("show").description("show one widget with its configuration")
    .argument("<widget-id>", "the widget's id", uuid)
    .action((widgetId: string) =>
      run(async (session) => {
        const row = await showWidget(session, { widgetId });
        const text = renderFields([
          ["company", row.company_id],
          ["kind", row.kind],
          ["name", row.name],
          ["pages", pages(row.allowed_origins)],
          ["state", state(row)],
          ["session limit", `${row.max_session_minutes} minutes`],
          ["used today", describeUsage(row.used, row.caps)],
          ["by all widgets", describeUsage(row.company.used, row.company.caps)],
          ["created", row.created_at],
          ["configuration", JSON.stringify(row.config)],
        ]);
        const { used: used_today, company, ...rest } = row;
        const json = { ...rest, used_today, company: { caps: company.caps, used_today: company.used } };
        return { json, text };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin widget show "$WIDGET" --json');
}

/** Leaves out the caps, which `widget show` prints. */
function listed({ caps: _, max_session_minutes: __, ...row }: WidgetRow) {
  return row;
}

function pages(allowedOrigins: string[]): string {
  return allowedOrigins.length > 0 ? allowedOrigins.join(", ") : "any";
}

function state({ is_active }: WidgetRow): string {
  return is_active ? "on" : "off";
}

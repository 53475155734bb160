import { type Command, InvalidArgumentError, Option } from "commander";
import { describeCost } from "../../supabase/functions/_shared/pricing/campaign_cost.ts";
import { openCsv } from "../terminal/csv_file.ts";
import { CommandError } from "../errors/command_error.ts";
import { startProgress } from "../terminal/progress.ts";
import { type Column, renderFields, renderTable } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { phoneCountry, uuid, wholeNumber } from "../terminal/values.ts";
import { checkCampaign, type CheckedFile, type Problem } from "./check.ts";

const PROBLEMS: Column<Problem>[] = [
  ["LINE", (row) => row.line],
  ["RECIPIENT", (row) => row.recipient],
  ["VERDICT", (row) => row.status],
  ["CODE", (row) => row.code],
  ["REASON", (row) => row.reason],
];

const WARNINGS: Column<CheckedFile["warnings"][number]>[] = [
  ["LINE", (row) => row.line],
  ["WARNING", (row) => row.code],
  ["FIELD", (row) => row.field],
  ["MESSAGE", (row) => row.message],
];

const MAX_SHOWN_WARNINGS = 10;

interface CheckOptions {
  company: string;
  template?: string;
  language?: string;
  agent?: string;
  sender?: string;
  type: string;
  value?: Record<string, string>;
  map?: Record<string, string>;
  country?: string;
  at?: string;
  timezone?: string;
  problems: number;
}

/** Adds `campaign check`. */
export function addCheck(campaign: Command, run: Run): void {
  campaign.command("check")
    .description(
      "check a campaign to the contacts of a CSV file, without sending; exit code 1 if any is invalid",
    )
    .argument("<file>", "a CSV file whose first line names the contacts' fields; - reads standard input")
    .requiredOption("--company <id>", "the company", uuid)
    .option("--template <name>", "the template of messages")
    .option("--language <code>", "its language, such as en_US")
    .option("--agent <id>", "the voice agent of calls, instead of a template")
    .option("--sender <sender>", "its id or number; the company's first one by default")
    .addOption(
      new Option("--type <type>", "the notification type")
        .choices(["marketing", "transactional", "utility"]).default("utility"),
    )
    .option("--value <name=value>", "a value of the template, such as body_text_0={{name}}; repeatable", pair)
    .option("--map <field=column>", "the column that holds a field, such as number=Phone; repeatable", pair)
    .option(
      "--country <code>",
      "of numbers without a country code, such as ES; the sender's country by default",
      phoneCountry,
    )
    .option("--at <time>", "when it would be sent, YYYY-MM-DDTHH:MM:SS; now by default")
    .option("--timezone <name>", "the time zone of --at, such as Europe/Madrid")
    .option("--problems <n>", "show at most n contacts that are not ok", wholeNumber(0), 20)
    .action((path: string, options: CheckOptions) =>
      run(async ({ sql, sealer, notificationTtlS }) => {
        const fields = requestFields(options);
        const { csv, bytes } = await openCsv(path);
        const progress = startProgress();
        const checked = await checkCampaign({ sql, sealer, ttlS: notificationTtlS }, {
          companyId: options.company,
          csv,
          fields,
          columns: options.map ?? {},
          country: options.country,
          onProgress: (read) => progress.update(read, Math.max(bytes, read), "bytes"),
        }).finally(progress.stop);
        return {
          json: { ...checked },
          text: describe(checked, options.problems),
          problem: checked.invalid === 0
            ? undefined
            : `${checked.invalid} contacts are invalid: correct them, or leave them out`,
        };
      })
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task admin campaign check people.csv --company "$COMPANY" --template order_update --language en_US \\
    --value body_text_0={{name}} --value body_text_1={{order}}
  deno task admin campaign check export.csv --company "$COMPANY" --template spring_sale --language es \\
    --type marketing --map number=Phone --map name="First name" --at 2030-03-01T10:00:00 --timezone Europe/Madrid
  deno task admin campaign check people.csv --company "$COMPANY" --agent "$AGENT" --type transactional --json`,
    );
}

function pair(given: string, before: Record<string, string> = {}): Record<string, string> {
  const separator = given.indexOf("=");
  if (separator <= 0) throw new InvalidArgumentError("Expected NAME=VALUE.");
  return { ...before, [given.slice(0, separator)]: given.slice(separator + 1) };
}

function requestFields(
  { template, language, agent, sender, type, value, at, timezone }: CheckOptions,
): Record<string, unknown> {
  if ((template === undefined) === (agent === undefined)) {
    throw new CommandError("bad_value", "Give --template for messages, or --agent for calls");
  }
  if (template !== undefined && language === undefined) {
    throw new CommandError("bad_value", "Give the template's --language, such as en_US");
  }
  return {
    recipient_id: sender ?? "default",
    notification_type: type,
    campaign_name: "check",
    ...(at !== undefined && { datetime_sending: at }),
    ...(timezone !== undefined && { timezone }),
    ...(agent === undefined
      ? { name_template: template, language_template: language, components_push: value ?? {} }
      : { ...value, agent_id: agent }),
  };
}

function describe(checked: CheckedFile, maxProblems: number): string {
  const { total, ok, invalid, skipped, held, duplicate, problems, warnings, countries } = checked;
  const totals = renderFields([
    ["contacts", total],
    ["ok", ok],
    ["invalid", invalid],
    ["skipped", skipped],
    ["held", held],
    ["duplicate", duplicate],
    ["countries", countries.map(({ country, count }) => `${country} ${count}`).join(", ")],
    ["default country", checked.country ?? "none"],
    ["estimated cost", describeCost(checked)],
    ["not checked", checked.not_checked.join(", ")],
  ]);
  const more = total - ok - Math.min(problems.length, maxProblems);
  return [
    ...problems.length > 0 && maxProblems > 0
      ? [
        renderTable(PROBLEMS, problems.slice(0, maxProblems), "") + (more > 0 ? `\n… and ${more} more` : ""),
      ]
      : [],
    ...warnings.length > 0 ? [renderTable(WARNINGS, warnings.slice(0, MAX_SHOWN_WARNINGS), "")] : [],
    totals,
  ].join("\n\n");
}

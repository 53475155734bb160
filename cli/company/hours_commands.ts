import { type Command, InvalidArgumentError, Option } from "commander";
import {
  CONTACT_CATEGORIES,
  CONTACT_CHANNELS,
} from "../../supabase/functions/_shared/db/contacts/contacts.ts";
import {
  describeWindows,
  readWindows,
  type WeekWindows,
} from "../../supabase/functions/_shared/scheduling/week_windows.ts";
import { PRESET_COUNTRIES } from "../../supabase/functions/_shared/scheduling/hours_presets.ts";
import {
  HOLIDAY_CALENDAR,
  type HoursRule,
  hoursRuleSchema,
} from "../../supabase/functions/_shared/scheduling/sending_rules.ts";
import { CommandError } from "../errors/command_error.ts";
import { type Column, renderTable } from "../terminal/render.ts";
import type { CommandOutput, Run, Session } from "../session.ts";
import { instant, uuid } from "../terminal/values.ts";
import { type CheckOptions, checkRecipient, recipientAddress } from "./check_hours.ts";
import { listPresets } from "./list_presets.ts";
import { removeHoursRules, sendingRulesOf, setHoursRule } from "./sending_rules.ts";

interface HoursOptions extends Partial<CheckOptions> {
  preset?: string;
  windows?: WeekWindows;
  zone?: HoursRule["zone"];
  holidays?: "recipient" | string[] | null;
  channel?: HoursRule["channel"];
  category?: HoursRule["category"];
  off?: true;
  listPresets?: true;
}

/** `company hours`. */
export function addHoursCommand(company: Command, run: Run): void {
  company.command("hours").description("show or change when a company's messages and calls may leave")
    .argument("[company-id]", "the company's id", uuid)
    .addOption(
      new Option(
        "--preset <country|recipient>",
        "add the usual hours of a country, or of each recipient's country",
      )
        .argParser(presetName),
    )
    .addOption(
      new Option(
        "--windows <windows>",
        "add hours of your own, such as 'mon-fri 09:00-14:00,16:00-21:00; sat 10:00-14:00'",
      )
        .argParser(windows).conflicts("preset"),
    )
    .addOption(
      new Option("--zone <recipient|campaign>", "whose time zone the hours are in; recipient by default")
        .choices(["recipient", "campaign"]),
    )
    .addOption(
      new Option(
        "--holidays <calendars|recipient|none>",
        "with --windows: closed on public holidays of ES, US-FL …, or of the recipient's country",
      ).argParser(calendars).conflicts("preset"),
    )
    .addOption(
      new Option("--channel <any|whatsapp|voice>", "messages, calls, or both (default)").choices(
        CONTACT_CHANNELS,
      ),
    )
    .addOption(
      new Option("--category <marketing|all>", "marketing only (default), or everything").choices(
        CONTACT_CATEGORIES,
      ),
    )
    .addOption(
      new Option("--off", "remove the rules of --channel and --category, or all").conflicts([
        "preset",
        "windows",
      ]),
    )
    .option("--list-presets", "show the presets, what they are for and their sources")
    .option(
      "--check <number>",
      "show when a message and a call to this number or user id would leave",
      recipientAddress,
    )
    .option("--at <time>", "with --check: as if it were then, such as 2030-01-31T18:00Z", instant)
    .option("--timezone <zone>", "with --check: the campaign's time zone, UTC by default")
    .action((companyId: string | undefined, options: HoursOptions) =>
      run(async (session) => {
        if (options.listPresets) return listPresets();
        if (companyId === undefined) {
          throw new CommandError("bad_value", "Give a company's id, or --list-presets");
        }
        const { check } = options;
        if (check !== undefined) {
          return await checkRecipient(session, companyId, { ...options, check });
        }
        return describeRules(companyId, await changeHours(session, companyId, options));
      })
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task admin company hours "$COMPANY"
  deno task admin company hours "$COMPANY" --preset recipient
  deno task admin company hours "$COMPANY" --preset ES --channel voice --category all
  deno task admin company hours "$COMPANY" --windows "mon-fri 09:00-14:00,16:00-21:00; sat 10:00-14:00" \\
    --zone recipient --holidays ES
  deno task admin company hours "$COMPANY" --check 34600111222 --at 2030-01-05T12:00Z
  deno task admin company hours "$COMPANY" --off --channel voice
  deno task admin company hours --list-presets`,
    );
}

async function changeHours(session: Session, companyId: string, options: HoursOptions): Promise<HoursRule[]> {
  const { preset, windows, zone = "recipient", holidays, channel, category, off } = options;
  if (off) return await removeHoursRules(session, { companyId, channel, category });
  const scope = { channel: channel ?? "any", category: category ?? "marketing", zone };
  if (preset !== undefined) {
    return await setHoursRule(session, { companyId, rule: hoursRuleSchema.parse({ ...scope, preset }) });
  }
  if (windows !== undefined) {
    return await setHoursRule(session, {
      companyId,
      rule: { ...scope, windows, holidays: holidays ?? null },
    });
  }
  if ([options.zone, holidays, channel, category].some((option) => option !== undefined)) {
    throw new CommandError("bad_value", "Nothing to change: give --preset, --windows or --off");
  }
  return (await sendingRulesOf(session, companyId)).hours;
}

const COLUMNS: Column<HoursRule>[] = [
  ["CHANNEL", (rule) => rule.channel],
  ["CATEGORY", (rule) => rule.category],
  ["ZONE", (rule) => rule.zone],
  ["HOURS", (rule) => "preset" in rule ? `preset ${rule.preset}` : describeWindows(rule.windows)],
  [
    "CLOSED ON HOLIDAYS OF",
    (rule) => "preset" in rule ? "as the preset" : [rule.holidays ?? []].flat().join(", "),
  ],
];

function describeRules(companyId: string, rules: HoursRule[]): CommandOutput {
  return {
    json: { company_id: companyId, sending_hours: rules },
    text: renderTable(COLUMNS, rules, "No sending hours: messages and calls leave at any time"),
  };
}

function presetName(value: string): string {
  if (value === "recipient") return value;
  const country = value.toUpperCase();
  if ((PRESET_COUNTRIES as readonly string[]).includes(country)) return country;
  throw new InvalidArgumentError(`Expected recipient or one of ${PRESET_COUNTRIES.join(", ")}.`);
}

function windows(value: string): WeekWindows {
  const week = readWindows(value);
  if (week !== null) return week;
  throw new InvalidArgumentError(
    "Expected windows such as 'mon-fri 09:00-14:00,16:00-21:00; sat 10:00-14:00'.",
  );
}

function calendars(value: string): "recipient" | string[] | null {
  if (value === "none") return null;
  if (value === "recipient") return value;
  const codes = [...new Set(value.split(",").map((code) => code.trim().toUpperCase()))];
  if (codes.every((code) => HOLIDAY_CALENDAR.test(code)) && codes.length <= 10) return codes;
  throw new InvalidArgumentError(
    "Expected up to 10 of ES, US-FL …, separated by commas, or recipient, or none.",
  );
}

import { type Command, Option } from "commander";
import {
  type CeilingChanges,
  type CompanyRow,
  type CompanySettings,
  type OnUnknown,
  readCompanies,
} from "../../supabase/functions/_shared/db/access/companies.ts";
import { CommandError } from "../errors/command_error.ts";
import { listRows } from "../terminal/list_rows.ts";
import type { Column } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { currency, uuid, wholeNumber } from "../terminal/values.ts";
import { addCapOptions, type CapOptions, capsOf, describeCaps } from "../visitor_caps.ts";
import { createCompany, updateCompany } from "./actions.ts";
import { addCapsCommand } from "./caps_commands.ts";
import { addHoursCommand } from "./hours_commands.ts";
import { addRules } from "./rules.ts";

const COLUMNS: Column<CompanyRow>[] = [
  ["COMPANY", (row) => row.company_id],
  ["NAME", (row) => row.name],
  ["API ACCESS", (row) => row.api_access ? "on" : "off"],
  ["KEY", (row) => row.key],
  ["MEMBERS", (row) => row.members],
  ["SENDERS", (row) => row.senders],
  ["CREATED", (row) => row.created_at],
];

/** `company create | update | hours | caps | rules | list`. */
export function addCompanyCommands(program: Command, run: Run): void {
  const company = program.command("company").description("manage companies and their settings");
  addCreate(company, run);
  addUpdate(company, run);
  addHoursCommand(company, run);
  addCapsCommand(company, run);
  addRules(company, run);
  company.command("list").description("list all companies").action(() =>
    run((session) =>
      listRows(session, {
        name: "companies",
        columns: COLUMNS,
        whenEmpty: "No companies yet",
        read: ({ sql }) => readCompanies(sql),
      })
    )
  ).addHelpText("after", "\nExample:\n  deno task admin company list");
}

function addCreate(company: Command, run: Run): void {
  company.command("create").description("create a company")
    .requiredOption("--name <name>", "1 to 200 characters")
    .option("--no-api-access", "create it with API access off")
    .action((input: { name: string; apiAccess: boolean }) =>
      run(async (session) => {
        const { companyId } = await createCompany(session, input);
        return { json: { company_id: companyId }, text: `Company ${input.name} created: ${companyId}` };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin company create --name "Acme"');
}

interface UpdateOptions extends CapOptions {
  apiAccess?: "on" | "off";
  onUnknown?: OnUnknown;
  callGap?: number;
  currency?: string;
  quotaCeiling?: number;
  rateCeiling?: number;
  voiceMinutesCeiling?: number;
  senderRateCeiling?: number;
}

/** Returns the ceilings that options set. */
function ceilingsOf(options: UpdateOptions): CeilingChanges {
  return {
    daily_quota: options.quotaCeiling,
    rate_limit: options.rateCeiling,
    voice_minutes: options.voiceMinutesCeiling,
    sender_rate: options.senderRateCeiling,
  };
}

function addUpdate(company: Command, run: Run): void {
  addCapOptions(company.command("update"))
    .description("change a company's settings; --max-… limits the visitors of all its widgets together")
    .argument("<company-id>", "the company's id", uuid)
    .addOption(
      new Option("--api-access <on|off>", "off begins nothing new, for its key, its members and their agents")
        .choices(["on", "off"]),
    )
    .addOption(
      new Option(
        "--on-unknown <resend|hold>",
        "what to do with a message if the platform never reports whether it took it",
      ).choices(["resend", "hold"]),
    )
    .option("--call-gap <seconds>", "time before one campaign calls a number again", wholeNumber(0))
    .option("--currency <code>", "what the platform bills it in, such as EUR; for estimates", currency)
    .option("--quota-ceiling <number>", "how far members may raise the daily quota", wholeNumber(0))
    .option("--rate-ceiling <number>", "how far members may raise requests per minute", wholeNumber(0))
    .option(
      "--voice-minutes-ceiling <number>",
      "how far members may raise visitors' voice minutes",
      wholeNumber(0),
    )
    .option(
      "--sender-rate-ceiling <number>",
      "how far members may raise a sender's messages per second",
      wholeNumber(0),
    )
    .action((companyId: string, options: UpdateOptions) =>
      run(async (session) => {
        const { apiAccess, onUnknown, callGap } = options;
        const visitorCaps = capsOf(options);
        const ceilings = ceilingsOf(options);
        const given = [apiAccess, onUnknown, callGap, options.currency]
          .concat(...Object.values(visitorCaps), ...Object.values(ceilings));
        if (given.every((option) => option === undefined)) {
          throw new CommandError(
            "bad_value",
            "Nothing to change: give --api-access, --on-unknown, --call-gap, --currency, a --max-… or a --…-ceiling",
          );
        }
        const changed = await updateCompany(session, {
          companyId,
          api_access: apiAccess && apiAccess === "on",
          on_unknown: onUnknown,
          call_gap_s: callGap,
          currency: options.currency,
          visitor_caps: visitorCaps,
          ceilings,
        });
        return { json: { ...changed }, text: describeSettings(changed) };
      })
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task admin company update "$COMPANY" --api-access off
  deno task admin company update "$COMPANY" --on-unknown hold
  deno task admin company update "$COMPANY" --call-gap 300
  deno task admin company update "$COMPANY" --currency EUR
  deno task admin company update "$COMPANY" --max-voice-minutes 300 --max-conversations 2000
  deno task admin company update "$COMPANY" --quota-ceiling 500000 --rate-ceiling 1200`,
    );
}

function describeSettings(settings: CompanySettings): string {
  const { visitor_caps, ceilings } = settings;
  return `Company ${settings.company_id}: API access is ${
    settings.api_access ? "on" : "off"
  }, unknown outcomes: ${settings.on_unknown}, ` +
    `${settings.call_gap_s} s between calls to one number, currency: ${
      settings.currency ?? "of the rate card"
    }, ` +
    `visitors per day: ${
      describeCaps(visitor_caps)
    }, ceilings: ${ceilings.daily_quota} notifications per day, ` +
    `${ceilings.rate_limit} requests per minute, ${ceilings.voice_minutes} voice minutes, ` +
    `${ceilings.sender_rate} messages per second of a sender`;
}

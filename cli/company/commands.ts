import { type Command, Option } from "commander";
import {
  type CeilingChanges,
  type CompanyRow,
  type CompanySettings,
  readCompanies,
} from "../../supabase/functions/_shared/db/access/companies.ts";
import { CommandError } from "../errors/command_error.ts";
import { listRows } from "../terminal/list_rows.ts";
import type { Column } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { currency, uuid, wholeNumber } from "../terminal/values.ts";
import { createCompany, updateCompany } from "./actions.ts";

const COLUMNS: Column<CompanyRow>[] = [
  ["COMPANY", (row) => row.company_id],
  ["NAME", (row) => row.name],
  ["API ACCESS", (row) => row.api_access ? "on" : "off"],
  ["KEY", (row) => row.key],
  ["MEMBERS", (row) => row.members],
  ["SENDERS", (row) => row.senders],
  ["CREATED", (row) => row.created_at],
];

/** `company create | update | list`. */
export function addCompanyCommands(program: Command, run: Run): void {
  const company = program.command("company").description(
    "manage companies, and what their members may not change",
  );
  addCreate(company, run);
  addUpdate(company, run);
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

interface UpdateOptions {
  apiAccess?: "on" | "off";
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
  company.command("update").description("change what members of a company may not change")
    .argument("<company-id>", "the company's id", uuid)
    .addOption(
      new Option("--api-access <on|off>", "off begins nothing new, for its key, its members and their agents")
        .choices(["on", "off"]),
    )
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
        const { apiAccess, currency } = options;
        const ceilings = ceilingsOf(options);
        const given = [apiAccess, currency, ...Object.values(ceilings)];
        if (given.every((option) => option === undefined)) {
          throw new CommandError(
            "bad_value",
            "Nothing to change: give --api-access, --currency or a --…-ceiling",
          );
        }
        const api_access = apiAccess && apiAccess === "on";
        const changed = await updateCompany(session, { companyId, api_access, currency, ceilings });
        return { json: { ...changed }, text: describeSettings(changed) };
      })
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task admin company update "$COMPANY" --api-access off
  deno task admin company update "$COMPANY" --currency EUR
  deno task admin company update "$COMPANY" --quota-ceiling 500000 --rate-ceiling 1200`,
    );
}

function describeSettings({ company_id, api_access, currency, ceilings }: CompanySettings): string {
  return `Company ${company_id}: API access is ${api_access ? "on" : "off"}, ` +
    `currency: ${currency ?? "of the rate card"}, ceilings: ${ceilings.daily_quota} notifications per day, ` +
    `${ceilings.rate_limit} requests per minute, ${ceilings.voice_minutes} voice minutes, ` +
    `${ceilings.sender_rate} messages per second of a sender`;
}

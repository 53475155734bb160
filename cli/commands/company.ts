import { type Command, Option } from "commander";
import { createCompany } from "../actions/create_company.ts";
import { type CompanyRow, listCompanies } from "../actions/list_companies.ts";
import { type OnUnknown, updateCompany } from "../actions/update_company.ts";
import { CommandError } from "../command_error.ts";
import { type Column, renderTable } from "../output/render_table.ts";
import { snakeKeys } from "../output/snake_keys.ts";
import type { Run } from "./answer.ts";
import { uuid } from "./values/uuid.ts";

const COLUMNS: Column<CompanyRow>[] = [
  ["COMPANY", (row) => row.companyId],
  ["NAME", (row) => row.name],
  ["API ACCESS", (row) => row.apiAccess ? "on" : "off"],
  ["KEY", (row) => row.key],
  ["MEMBERS", (row) => row.members],
  ["SENDERS", (row) => row.senders],
  ["CREATED", (row) => row.createdAt],
];

/** `company create | update | list`. */
export function addCompanyCommands(program: Command, run: Run): void {
  const company = program.command("company").description("companies and their access to the API");
  addCreate(company, run);
  addUpdate(company, run);
  company.command("list").description("all companies").action(() =>
    run(async (session) => {
      const rows = await listCompanies(session);
      return {
        json: { companies: rows.map(snakeKeys) },
        text: renderTable(COLUMNS, rows, "No companies yet"),
      };
    })
  ).addHelpText("after", "\nExample:\n  deno task admin company list");
}

function addCreate(company: Command, run: Run): void {
  company.command("create").description("make a company")
    .requiredOption("--name <name>", "1 to 200 characters")
    .option("--no-api-access", "keep its access to the API switched off")
    .action((input: { name: string; apiAccess: boolean }) =>
      run(async (session) => {
        const { companyId } = await createCompany(session, input);
        return { json: { company_id: companyId }, text: `Company ${input.name} made: ${companyId}` };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin company create --name "Acme"');
}

interface UpdateOptions {
  apiAccess?: "on" | "off";
  onUnknown?: OnUnknown;
}

function addUpdate(company: Command, run: Run): void {
  company.command("update").description("change a company's settings")
    .argument("<company-id>", "its id", uuid)
    .addOption(
      new Option("--api-access <on|off>", "off refuses its users and its key").choices(["on", "off"]),
    )
    .addOption(
      new Option(
        "--on-unknown <resend|hold>",
        "what to do with a message of which nobody knows whether the platform took it",
      ).choices(["resend", "hold"]),
    )
    .action((companyId: string, { apiAccess, onUnknown }: UpdateOptions) =>
      run(async (session) => {
        if (!apiAccess && !onUnknown) {
          throw new CommandError("bad_value", "Nothing to change: give --api-access or --on-unknown");
        }
        const changed = await updateCompany(session, {
          companyId,
          ...(apiAccess && { apiAccess: apiAccess === "on" }),
          ...(onUnknown && { onUnknown }),
        });
        const access = changed.apiAccess ? "on" : "off";
        return {
          json: snakeKeys(changed),
          text: `Company ${companyId}: API access is ${access}, unknown outcomes: ${changed.onUnknown}`,
        };
      })
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task admin company update "$COMPANY" --api-access off
  deno task admin company update "$COMPANY" --on-unknown hold`,
    );
}

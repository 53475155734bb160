import { Command } from "commander";
import { cellOfCompany } from "../../supabase/functions/_shared/cells.ts";
import { addAgentCommands } from "../agent/commands.ts";
import { addArchiveCommands } from "../archive/commands.ts";
import { addCampaignCommands } from "../campaign/commands.ts";
import { addCellCommands } from "../cell/commands.ts";
import { addCompanyCommands } from "../company/commands.ts";
import { addContactCommands } from "../contact/commands.ts";
import { CommandError } from "../errors/command_error.ts";
import { addKeyCommands } from "../key/commands.ts";
import { addMaintenanceCommands } from "../maintenance.ts";
import { print, printError } from "./print.ts";
import { addRatesCommands } from "../rates/commands.ts";
import { addSecretsCommands } from "../secrets/commands.ts";
import { addSenderCommands } from "../sender/commands.ts";
import type { Run } from "../session.ts";
import { addTemplateCommands } from "../template/commands.ts";
import { addUserCommands } from "../user/commands.ts";
import { addVapidCommands } from "../vapid/commands.ts";
import { wholeNumber } from "./values.ts";

const CLOSING = `
Commands use the database in DATABASE_URL, or else the embedded stack that "deno task start" keeps in OUTBOUND_HOME
(.outbound). The list commands show ids. With --json, standard output is one JSON object; a failure prints
{"error":{"code","message"}}. The exit code is 0 only when the command succeeded.

Examples:
  deno task admin company create --name "Acme"
  deno task admin company list --json
  deno task admin key create --help`;

/** Builds the command line of `deno task admin`, which throws on bad usage and on --help instead of ending the process. */
export function createProgram(run: Run): Command {
  const program = new Command("deno task admin")
    .description("Operator commands of outbound")
    .option("--json", "print one JSON object")
    .option(
      "--cell <number>",
      "work on this cell of DATABASE_URLS; the id of a company names its own",
      wholeNumber(0),
    )
    .hook("preAction", chooseCell)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => print(text.trimEnd()),
      writeErr: (text) => printError(text.trimEnd()),
      outputError: () => {},
    })
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .addHelpText("after", CLOSING);
  addCompanyCommands(program, run);
  addUserCommands(program, run);
  addKeyCommands(program, run);
  addSenderCommands(program, run);
  addTemplateCommands(program, run);
  addAgentCommands(program, run);
  addCampaignCommands(program, run);
  addArchiveCommands(program, run);
  addRatesCommands(program, run);
  addContactCommands(program, run);
  addSecretsCommands(program, run);
  addVapidCommands(program, run);
  addCellCommands(program, run);
  addMaintenanceCommands(program, run);
  for (const noun of program.commands) {
    const [first] = noun.commands;
    noun.helpCommand(false)
      .addHelpText("after", `\nExample:\n  deno task admin ${noun.name()} ${first!.name()} --help`);
  }
  return program;
}

/** A command that is given a company works in the cell that the company's id names. */
function chooseCell(program: Command, command: Command): void {
  const { company } = command.opts<{ company?: string }>();
  const position = command.registeredArguments.findIndex((argument) => argument.name() === "company-id");
  const companyId = company ?? command.args[position];
  if (companyId === undefined) return;
  const cell = cellOfCompany(companyId);
  const { cell: chosen = cell } = program.opts<{ cell?: number }>();
  if (chosen !== cell) throw new CommandError("usage", `The company ${companyId} is in cell ${cell}`);
  program.setOptionValue("cell", cell);
}

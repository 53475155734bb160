import { Command } from "commander";
import { print, printError } from "../print.ts";
import type { Run } from "./answer.ts";
import { addAgentCommands } from "./agent.ts";
import { addCampaignCommands } from "./campaign.ts";
import { addChatCommands } from "./chat.ts";
import { addCompanyCommands } from "./company.ts";
import { addKeyCommands } from "./key.ts";
import { addKnowledgeCommands } from "./knowledge.ts";
import { addMaintenanceCommands } from "./maintenance.ts";
import { addSecretsCommands } from "./secrets.ts";
import { addSenderCommands } from "./sender.ts";
import { addTemplateCommands } from "./template.ts";
import { addUserCommands } from "./user.ts";
import { addWebhookCommands } from "./webhook.ts";
import { addWidgetCommands } from "./widget.ts";

const CLOSING = `
Works on the database in DATABASE_URL, or else on the embedded stack that "deno task start" keeps in OUTBOUND_HOME
(.outbound). Ids are those the list commands show. With --json, standard output is one JSON object, for a failure
{"error":{"code","message"}}; the exit code is 0 only when the command did what it says.

Examples:
  deno task admin company create --name "Acme"
  deno task admin company list --json
  deno task admin key create --help`;

/** The command line of `deno task admin`. It throws on bad usage and on --help instead of ending the process. */
export function createProgram(run: Run): Command {
  const program = new Command("deno task admin")
    .description("Operator commands of outbound")
    .option("--json", "print one JSON object")
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
  addWebhookCommands(program, run);
  addWidgetCommands(program, run);
  addChatCommands(program, run);
  addKnowledgeCommands(program, run);
  addSecretsCommands(program, run);
  addMaintenanceCommands(program, run);
  for (const noun of program.commands) noun.helpCommand(false);
  return program;
}

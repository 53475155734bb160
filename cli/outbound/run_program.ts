import { OptionError, OutboundError } from "../../sdk/typescript/src/operations.ts";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";
import { CommandError } from "../errors/command_error.ts";
import { callOperation } from "./call_operation.ts";
import { complete, completionScript } from "./completion.ts";
import { followEvents } from "./events.ts";
import { commandHelp, mainHelp, ownHelp, resourceHelp } from "./help.ts";
import { logIn } from "./login.ts";
import { OPERATIONS } from "./operation.ts";
import type { Program } from "./program.ts";
import { manageProfiles } from "./profile_command.ts";
import { sendCampaign } from "./send_campaign.ts";
import { UsageError } from "./usage_error.ts";

/** The commands that are no operations of the API. */
const OWN_COMMANDS: Record<string, (program: Program, args: string[]) => Promise<void>> = {
  login: logIn,
  profile: manageProfiles,
  "send-campaign": sendCampaign,
  events: followEvents,
  completion: ({ terminal }, [shell]) => terminal.print(completionScript(shell)),
};

/** Runs a command and returns its exit code: 1 when the API refuses or cannot be reached, 2 for a wrong command line. */
export async function runProgram(program: Program, args: string[]): Promise<number> {
  try {
    await run(program, args);
    return 0;
  } catch (error) {
    if (error instanceof OutboundError) return await reportRefusal(program, error, args.includes("--json"));
    if (
      error instanceof UsageError || error instanceof CommandError || error instanceof OptionError
    ) {
      program.terminal.note(error.message);
      return 2;
    }
    throw error;
  }
}

async function run(program: Program, [resource, verb, ...rest]: string[]): Promise<void> {
  const { terminal } = program;
  if (resource === undefined || /^(help|--help|-h)$/.test(resource)) return await terminal.print(mainHelp());
  if (resource === "--version") return await terminal.print(VERSION);
  if (resource === "complete") return await terminal.print(complete(rest).join("\n"));
  if (Object.hasOwn(OWN_COMMANDS, resource)) {
    const args = verb === undefined ? [] : [verb, ...rest];
    if (asksForHelp(args)) return await terminal.print(ownHelp(resource));
    return await OWN_COMMANDS[resource]!(program, args);
  }
  const known = OPERATIONS.filter((each) => each.resource === resource);
  if (known.length === 0) throw new UsageError(`Unknown command '${resource}'. Try --help`);
  if (verb === undefined || asksForHelp([verb])) return await terminal.print(resourceHelp(resource, known));
  const operation = known.find((each) => each.verb === verb);
  if (operation === undefined) {
    throw new UsageError(`Unknown command '${resource} ${verb}'. Try outbound ${resource}`);
  }
  if (asksForHelp(rest)) return await terminal.print(commandHelp(operation));
  await callOperation(program, operation, rest);
}

function asksForHelp(args: string[]): boolean {
  return args.includes("--help") || args[0] === "-h";
}

async function reportRefusal({ terminal }: Program, error: OutboundError, json: boolean): Promise<number> {
  const { code, message, status, details, requestId, retryAfterS } = error;
  if (json) {
    const failure = { code, message, status, details, request_id: requestId, retry_after: retryAfterS };
    await terminal.printJson({ error: failure });
  }
  const { field } = (details ?? {}) as { field?: unknown };
  const facts = [
    code,
    ...typeof field === "string" ? [`field ${field}`] : [],
    ...requestId === undefined ? [] : [`request ${requestId}`],
    ...retryAfterS === undefined ? [] : [`retry in ${retryAfterS} s`],
  ];
  terminal.note(`${message} (${facts.join(", ")})`);
  return 1;
}

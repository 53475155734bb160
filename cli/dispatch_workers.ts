import { createLog } from "../supabase/functions/_shared/log.ts";
import { exitCodeOf, readArguments } from "./terminal/command_line.ts";
import { CommandError } from "./errors/command_error.ts";
import { print } from "./terminal/print.ts";
import { stopSignal } from "./service/stopping.ts";
import { supervise } from "./service/supervise.ts";
import { taskCommand } from "./service/task_command.ts";

const MAX_WORKERS = 64;

const HELP = `Usage: deno task dispatch:workers N

Runs N dispatchers, up to ${MAX_WORKERS}, each in a process of its own with the permissions of "deno task dispatch", and
starts one again that ends. SIGTERM or Ctrl-C stops them all. This process only starts the others: it opens no
connection and reads no setting.

Settings: those of "deno task dispatch"

Example:
  DATABASE_URL=postgres://… OUTBOUND_SECRETS_KEY=… deno task dispatch:workers 4
`;

/** Runs the command `deno task dispatch:workers` and returns its exit code. */
async function dispatchWorkers(args: string[]): Promise<number> {
  const { options, positionals } = readArguments(args, { help: { type: "boolean" } });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const count = readCount(positionals);
  const command = taskCommand("dispatch");
  const signal = stopSignal();
  // Workers that lack a setting would only end again and again.
  const code = await checkSettings(command);
  if (code !== 0) return code;
  print(`Running ${count} dispatchers`);
  return await supervise([...command, "--supervised"], {
    count,
    signal,
    log: createLog("info"),
    argsOf: (worker) => ["--worker", String(worker)],
  });
}

function readCount(positionals: string[]): number {
  const [text = ""] = positionals;
  const count = positionals.length === 1 && /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_WORKERS) return count;
  throw new CommandError(
    "usage",
    `dispatch:workers takes one whole number from 1 to ${MAX_WORKERS}, got '${positionals.join(" ")}'`,
  );
}

async function checkSettings([path, ...args]: string[]): Promise<number> {
  const command = new Deno.Command(path!, { args: [...args, "--check"], stdin: "null" });
  return (await command.spawn().status).code;
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => dispatchWorkers(Deno.args)));

import { CommandError } from "../cli/errors/command_error.ts";
import { readFlags } from "../cli/terminal/command_line.ts";
import { print, printError } from "../cli/terminal/print.ts";
import { stopSignal, within } from "../cli/service/stopping.ts";
import { automaticTracesProblem } from "../cli/tracing/open_tracing.ts";
import { EnvError, loadEnv } from "../supabase/functions/_shared/env.ts";
import { withoutEmpty } from "../supabase/functions/_shared/values/objects.ts";
import { banner } from "./stack/terminal.ts";
import { choosePorts } from "./stack/choose_ports.ts";
import { explainDiskError, StackError } from "./stack/errors.ts";
import { describePlan, makePlan, partsOf } from "./stack/plan.ts";
import { openHome } from "./stack/home.ts";
import { openLogFile } from "./stack/log_file.ts";
import { openDatabase } from "./stack/open_database.ts";
import { loadSecrets } from "./stack/secrets.ts";
import { removeStackFile, writeStackFile } from "./stack/stack_file.ts";

const HELP = `Usage: deno task start [--demo] [--verbose]

Runs the whole service on this machine, with a stand-in for every part that is not configured. Data and generated
secrets are kept in OUTBOUND_HOME (default .outbound), and so is the log, which has a line for every request
(service.log; the one before is service.previous.log). The screen shows its warnings and errors. Ctrl-C ends it.

  --demo      make the demo company, its user and key, although DATABASE_URL or SUPABASE_URL is set
  --verbose   show every line of the log
  --help      print this text

  PORT                the API's port (default 54321; 0 takes free ones); database +1, console +2, sandbox +3, widgets +4, auth server +5, metrics +6
  DATABASE_URL        a Postgres instead of the embedded one; needs OUTBOUND_SECRETS_KEY, and "deno task migrate" before
  SUPABASE_URL        a Supabase project's log-in; needs SUPABASE_PUBLISHABLE_KEY
  WHATSAPP_API_URL    the messaging platform, such as https://graph.facebook.com, instead of the sandbox
  ELEVENLABS_API_URL  the voice platform, such as https://api.elevenlabs.io, instead of the sandbox
  OUTBOUND_WIDGET_URL          where the widgets' files are, instead of building and serving them here
  OUTBOUND_CONSOLE_URL         where the console is, instead of building and serving it here
  OUTBOUND_LOCAL_HOSTS         names the stand-ins respond to besides localhost, separated by commas, such as host.docker.internal`;

/** Most of the code. Deno reads what an import names literally before the first line here runs. */
const STACK = "./stack/start_stack.ts";

/** Errors with a message for the person who started it. */
const REFUSALS = [StackError, EnvError, CommandError, Deno.errors.AddrInUse];

/** More than the ten seconds for requests under way; a part that hangs must not block the others. */
const STOP_MS = 15_000;

/** The command `deno task start`. Returns the exit code. */
async function start(args: string[], variables: Record<string, string>): Promise<number> {
  try {
    const options = readFlags(args, ["demo", "verbose", "help"]);
    if (options.help) {
      print(HELP);
      return 0;
    }
    return await run(options, withoutEmpty(variables));
  } catch (error) {
    const isRefusal = REFUSALS.some((kind) => error instanceof kind);
    const message = isRefusal ? (error as Error).message : await explainDiskError(error, homeOf(variables));
    if (message === undefined) throw error;
    printError(message);
    return 1;
  }
}

async function run(
  options: { demo: boolean; verbose: boolean },
  variables: Record<string, string>,
): Promise<number> {
  const plan = makePlan(variables, options);
  const port = readPort(variables.PORT ?? "54321");
  checkSettings(variables);
  const home = homeOf(variables);
  const lock = await openHome(home);
  const log = openLogFile(home, { show: print, isVerbose: options.verbose });
  const ports = choosePorts(port, partsOf(plan));
  const secrets = await loadSecrets(home);
  const signal = stopSignal();
  const broken = Promise.withResolvers<Error>();

  const underWay = Promise.withResolvers<void>();
  const [database, { startStack }] = await Promise.all([
    openDatabase({
      home,
      databaseUrl: plan.databaseUrl,
      port: ports.database,
      password: secrets.DATABASE_PASSWORD,
      print,
      onBroken: broken.resolve,
      onUnderWay: underWay.resolve,
    }),
    underWay.promise.then(() => import(STACK) as Promise<typeof import("./stack/start_stack.ts")>),
  ]);
  const stack = await startStack({
    variables,
    home,
    plan,
    ports,
    secrets,
    database,
    print,
    writeLog: log.write,
  });
  await writeStackFile(home, stack);
  print(banner({ ...stack, standIns: describePlan(plan), log: log.path }));

  const failure = await Promise.race([broken.promise, aborted(signal)]);
  if (failure) printError(failure.message);
  await within(STOP_MS, stack.stop());
  await removeStackFile(home);
  log.close();
  lock.release();
  return failure ? 1 : 0;
}

function homeOf({ OUTBOUND_HOME }: Record<string, string>): string {
  return OUTBOUND_HOME || ".outbound";
}

/** Refuses malformed settings before anything is made; missing ones are filled in later. */
function checkSettings(variables: Record<string, string>): void {
  loadEnv({ DATABASE_URL: "postgres://embedded", OUTBOUND_SECRETS_KEY: "-".repeat(32), ...variables });
  const problem = automaticTracesProblem(variables);
  if (problem !== undefined) throw new StackError(problem);
}

function readPort(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65535) return Number(value);
  throw new StackError("PORT must be a number from 0 to 65535");
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

if (import.meta.main) Deno.exit(await start(Deno.args, Deno.env.toObject()));

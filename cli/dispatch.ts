import { exitCodeOf, readFlags } from "./command_line.ts";
import { print } from "./print.ts";
import { openServices } from "./service/open_services.ts";
import { startDispatcher } from "./service/run_service.ts";
import { stopSignal, within } from "./service/stopping.ts";

const REQUIRED = ["DATABASE_URL", "SECRETS_KEY"];

/** How long messages under way may take once the dispatcher is asked to stop. */
const GRACE_MS = 10_000;

const HELP = `Usage: deno task dispatch

Runs one more dispatcher for the database in DATABASE_URL, until SIGTERM or Ctrl-C. It then finishes the messages under
way, ten seconds at most, and releases the others. Any number may run, on any number of machines.

Required settings: ${REQUIRED.join(", ")}
To probe the webhook before a retry: PUBLIC_URL, WHATSAPP_APP_SECRET

Example:
  DATABASE_URL=postgres://… SECRETS_KEY=… deno task dispatch
`;

/** Runs the command `deno task dispatch` and returns its exit code. */
async function dispatch(args: string[], variables: Record<string, string>): Promise<number> {
  if (readFlags(args, ["help"]).help) {
    print(HELP);
    return 0;
  }
  const services = await openServices(variables, REQUIRED);
  const signal = stopSignal();
  const dispatcher = startDispatcher(services);
  print("Dispatching");
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  await within(GRACE_MS, dispatcher.stop().then(() => services.close()));
  return 0;
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => dispatch(Deno.args, Deno.env.toObject())));

import { exitCodeOf } from "./exit_code_of.ts";
import { print } from "./print.ts";
import { readFlags } from "./read_flags.ts";
import { openServices } from "./service/open_services.ts";
import { startDispatcher } from "./service/run_service.ts";
import { stopSignal } from "./service/stop_signal.ts";
import { within } from "./service/within.ts";

const REQUIRED = ["DATABASE_URL", "SECRETS_KEY"];

/** How long messages in flight may take once the dispatcher is asked to stop. */
const GRACE_MS = 10_000;

const HELP = `Usage: deno task dispatch

Runs one more dispatcher for the database in DATABASE_URL, until SIGTERM or Ctrl-C; then finishes the messages in
flight, ten seconds at most, and hands back the others. Any number may run, on any number of machines.

Settings that must be there: ${REQUIRED.join(", ")}
To probe the webhook before a message is sent again: PUBLIC_URL, WHATSAPP_APP_SECRET
`;

/** The command `deno task dispatch`. Answers the exit code. */
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

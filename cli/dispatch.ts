import { type Env, readVariables } from "../supabase/functions/_shared/env.ts";
import { type Services, servicesOfAllCells } from "../supabase/functions/_shared/services.ts";
import { CommandError } from "./errors/command_error.ts";
import { exitCodeOf, readOptions } from "./terminal/command_line.ts";
import { type MetricsAddress, serveMetrics } from "./metrics/serve_metrics.ts";
import { print } from "./terminal/print.ts";
import { openServices } from "./service/open_services.ts";
import { startDispatchers } from "./service/run_service.ts";
import { stopSignal, within } from "./service/stopping.ts";

const REQUIRED = ["DATABASE_URL", "OUTBOUND_SECRETS_KEY"];

/** How long messages under way may take once the dispatcher is asked to stop. */
const GRACE_MS = 10_000;

const HELP = `Usage: deno task dispatch [--check] [--cells 1,3]

Runs one more dispatcher for the database in DATABASE_URL, and for those in DATABASE_URLS, until SIGTERM or Ctrl-C. It then finishes the messages under
way, ten seconds at most, and releases the others. Any number may run, on any number of machines.

Options:
  --check       checks the settings and the database, and ends
  --cells N,N   works for these cells only; 0 is DATABASE_URL
  --supervised  also stops when its standard input ends, as with the process that started it
  --worker N    the number of this process, from 1, among several on this machine: moves OUTBOUND_METRICS_PORT

Required settings: ${REQUIRED.join(", ")}
To probe the webhook before a retry: OUTBOUND_PUBLIC_URL, WHATSAPP_APP_SECRET
Metrics: OUTBOUND_METRICS_PORT; the second of several workers takes the next port, and so on

Several on one machine: deno task dispatch:workers N

Example:
  DATABASE_URL=postgres://… OUTBOUND_SECRETS_KEY=… deno task dispatch
`;

/** Runs the command `deno task dispatch` and returns its exit code. */
async function dispatch(args: string[], variables: Record<string, string | undefined>): Promise<number> {
  const options = readOptions(args, {
    help: { type: "boolean" },
    check: { type: "boolean" },
    cells: { type: "string" },
    supervised: { type: "boolean" },
    worker: { type: "string", default: "1" },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const services = await openServices(variables, REQUIRED);
  const cells = chosenCells(services, options.cells);
  if (options.check) {
    await services.close();
    return 0;
  }
  const signal = stopSignal();
  const dispatcher = startDispatchers(cells);
  const metrics = await serveMetrics(services, metricsAddress(services.env, Number(options.worker)));
  print("Dispatching");
  if (metrics) print(`Metrics at ${metrics.url}`);
  await Promise.race([aborted(signal), ...(options.supervised ? [inputEnd()] : [])]);
  await within(GRACE_MS, Promise.all([dispatcher.stop(), metrics?.stop()]).then(() => services.close()));
  return 0;
}

/** Returns the cells that an option names; all without it. */
function chosenCells(services: Services, option: string | undefined): Services[] {
  const all = servicesOfAllCells(services);
  if (option === undefined) return all;
  return option.split(",").map((text) => {
    const found = all.find(({ cell }) => String(cell) === text.trim());
    if (found !== undefined) return found;
    const known = all.map(({ cell }) => cell).join(", ");
    throw new CommandError(
      "usage",
      `--cells names the cell '${text}': DATABASE_URL and DATABASE_URLS have ${known}`,
    );
  });
}

/** Each worker is scraped by itself. */
function metricsAddress(
  { OUTBOUND_METRICS_PORT: first }: Pick<Env, "OUTBOUND_METRICS_PORT">,
  worker: number,
): MetricsAddress {
  return first === undefined ? {} : { port: first + worker - 1 };
}

function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener("abort", resolve));
}

async function inputEnd(): Promise<void> {
  const buffer = new Uint8Array(16);
  while (await Deno.stdin.read(buffer) !== null);
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => dispatch(Deno.args, readVariables())));

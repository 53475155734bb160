import { fileURLToPath } from "node:url";
import { exitCodeOf, readOptions } from "./command_line.ts";
import { CommandError } from "./errors/command_error.ts";
import { serveMetrics } from "./metrics/serve_metrics.ts";
import { print } from "./print.ts";
import { openServices } from "./service/open_services.ts";
import { startDispatcher } from "./service/run_service.ts";
import { stopSignal, within } from "./service/stopping.ts";
import { supervise } from "./service/supervise.ts";

const REQUIRED = ["DATABASE_URL", "SECRETS_KEY"];

/** How long messages under way may take once the dispatcher is asked to stop. */
const GRACE_MS = 10_000;
const MAX_WORKERS = 64;

const HELP = `Usage: deno task dispatch [--workers N]

Runs one more dispatcher for the database in DATABASE_URL, until SIGTERM or Ctrl-C. It then finishes the messages under
way, ten seconds at most, and releases the others. Any number may run, on any number of machines.

Options:
  --workers N   runs N dispatchers, up to ${MAX_WORKERS}, each in a process of its own, and starts one again that ends
  --supervised  also stops when its standard input ends, as with the process that started it

Required settings: ${REQUIRED.join(", ")}
To probe the webhook before a retry: PUBLIC_URL, WHATSAPP_APP_SECRET
Metrics: METRICS_PORT; the second of several workers takes the next port, and so on

Examples:
  DATABASE_URL=postgres://… SECRETS_KEY=… deno task dispatch
  deno task dispatch --workers 4
`;

/** Runs the command `deno task dispatch` and returns its exit code. */
async function dispatch(args: string[], variables: Record<string, string>): Promise<number> {
  const options = readOptions(args, {
    help: { type: "boolean" },
    workers: { type: "string" },
    supervised: { type: "boolean" },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const workers = options.workers === undefined ? undefined : readWorkers(options.workers);
  const services = await openServices(variables, REQUIRED);
  const signal = stopSignal();
  if (workers !== undefined) {
    // Opened to check the settings and the database: the workers would only end again and again.
    await services.close();
    const command = [Deno.execPath(), "run", "-A", fileURLToPath(import.meta.url), "--supervised"];
    print(`Running ${workers} dispatchers`);
    const { METRICS_PORT } = services.env;
    return await supervise(command, {
      count: workers,
      signal,
      log: services.log,
      // Each is scraped by itself.
      ...METRICS_PORT && { envOf: (worker) => ({ METRICS_PORT: String(METRICS_PORT + worker - 1) }) },
    });
  }
  const dispatcher = startDispatcher(services);
  const metrics = await serveMetrics(services);
  print("Dispatching");
  if (metrics) print(`Metrics at ${metrics.url}`);
  await Promise.race([aborted(signal), ...(options.supervised ? [inputEnd()] : [])]);
  await within(GRACE_MS, Promise.all([dispatcher.stop(), metrics?.stop()]).then(() => services.close()));
  return 0;
}

function readWorkers(text: string): number {
  const workers = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (workers >= 1 && workers <= MAX_WORKERS) return workers;
  throw new CommandError(
    "usage",
    `--workers: expected a whole number from 1 to ${MAX_WORKERS}, got '${text}'`,
  );
}

function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener("abort", resolve));
}

async function inputEnd(): Promise<void> {
  const buffer = new Uint8Array(16);
  while (await Deno.stdin.read(buffer) !== null);
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => dispatch(Deno.args, Deno.env.toObject())));

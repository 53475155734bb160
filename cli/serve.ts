import { parseArgs } from "node:util";
import { ROOT } from "../supabase/functions/_shared/http/path.ts";
import { print, printError } from "./print.ts";
import { openServices } from "./service/open_services.ts";
import { runService } from "./service/run_service.ts";
import { stopSignal } from "./service/stop_signal.ts";

/** Settings without which the service cannot do its work in production. */
const REQUIRED = [
  "DATABASE_URL",
  "SECRETS_KEY",
  "SUPABASE_URL",
  "SUPABASE_PUBLISHABLE_KEY",
  "WHATSAPP_APP_SECRET",
  "WHATSAPP_VERIFY_TOKEN",
];

const HELP = `Usage: deno task serve

Runs the API and a dispatcher in production: no stand-in, no demo data. Listens on all addresses, on PORT
(default 54321), until SIGTERM or Ctrl-C; then finishes what is in flight, ten seconds at most.

Settings that must be there: ${REQUIRED.join(", ")}
`;

/** The command `deno task serve`. Answers the exit code. */
async function serve(args: string[], variables: Record<string, string>): Promise<number> {
  if (parseArgs({ args, options: { help: { type: "boolean" } }, strict: false }).values.help) {
    print(HELP);
    return 0;
  }
  const opened = await openServices(variables, REQUIRED);
  if ("problem" in opened) return fail(opened.problem);
  const { env } = opened.services;
  const signal = stopSignal();
  try {
    const service = await runService(opened.services, { hostname: "0.0.0.0", port: env.PORT });
    print(`Listening on http://0.0.0.0:${service.port}${ROOT}`);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await service.stop();
    return 0;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) {
      return fail(`Port ${env.PORT} is in use: set PORT to another one`);
    }
    throw error;
  }
}

function fail(line: string): number {
  printError(line);
  return 1;
}

if (import.meta.main) Deno.exit(await serve(Deno.args, Deno.env.toObject()));

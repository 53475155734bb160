import { ROOT } from "../supabase/functions/_shared/functions_url.ts";
import { CommandError } from "./command_error.ts";
import { exitCodeOf } from "./exit_code_of.ts";
import { print } from "./print.ts";
import { readFlags } from "./read_flags.ts";
import { openServices } from "./service/open_services.ts";
import { runService } from "./service/run_service.ts";
import { stopSignal } from "./service/stop_signal.ts";

/** Settings without which the service cannot do its work in production. */
const REQUIRED = [
  "DATABASE_URL",
  "SECRETS_KEY",
  "PUBLIC_URL",
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
  if (readFlags(args, ["help"]).help) {
    print(HELP);
    return 0;
  }
  const services = await openServices(variables, REQUIRED);
  const { PORT } = services.env;
  const signal = stopSignal();
  const service = await runService(services, { hostname: "0.0.0.0", port: PORT }).catch((error) => {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new CommandError("not_configured", `Port ${PORT} is in use: set PORT to another one`);
  });
  print(`Listening on http://0.0.0.0:${service.port}${ROOT}`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  await service.stop();
  return 0;
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => serve(Deno.args, Deno.env.toObject())));

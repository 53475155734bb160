import { readVariables } from "../supabase/functions/_shared/env.ts";
import { NEEDED_SETTINGS } from "../supabase/functions/_shared/settings.ts";
import { hostInUrl, ROOT } from "../supabase/functions/_shared/values/urls.ts";
import { CommandError } from "./errors/command_error.ts";
import { exitCodeOf, readFlags } from "./terminal/command_line.ts";
import { print } from "./terminal/print.ts";
import { openServices } from "./service/open_services.ts";
import { runService } from "./service/run_service.ts";
import { stopSignal } from "./service/stopping.ts";

const HELP = `Usage: deno task serve

Runs the API and a dispatcher in production: no stand-in, no demo data. Listens on HOST (default 0.0.0.0, all of IPv4)
and PORT (default 54321) until SIGTERM or Ctrl-C; then finishes what is under way, ten seconds at most.

Required settings: ${NEEDED_SETTINGS.join(", ")}

Example:
  PORT=8080 deno task serve
`;

/** Runs the command `deno task serve` and returns its exit code. */
async function serve(args: string[], variables: Record<string, string | undefined>): Promise<number> {
  if (readFlags(args, ["help"]).help) {
    print(HELP);
    return 0;
  }
  const services = await openServices(variables, NEEDED_SETTINGS);
  const { HOST, PORT } = services.env;
  const signal = stopSignal();
  const service = await runService(services, { hostname: HOST, port: PORT }).catch((error) => {
    if (error instanceof Deno.errors.AddrInUse) {
      throw new CommandError("not_configured", `Port ${PORT} is in use: set PORT to a free one`);
    }
    if (error instanceof Deno.errors.AddrNotAvailable || /lookup/.test(error.message)) {
      throw new CommandError("not_configured", `HOST is ${HOST}, which is no address of this machine`);
    }
    throw error;
  });
  print(`Listening on http://${hostInUrl(HOST)}:${service.port}${ROOT}`);
  if (service.metricsUrl) print(`Metrics at ${service.metricsUrl}`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  await service.stop();
  return 0;
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => serve(Deno.args, readVariables())));

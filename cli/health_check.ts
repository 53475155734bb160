/**
 * `deno run cli/health_check.ts`: exits 0 when the service in the same container can store messages. For images, which have
 * no program that makes requests.
 *
 * @module
 */
import { ROOT } from "../supabase/functions/_shared/values/urls.ts";
import { printError } from "./terminal/print.ts";

const TIMEOUT_MS = 4000;
const DEFAULT_PORT = 54321;

/** Asks `GET /health` and returns the exit code. */
async function healthCheck(port: string): Promise<number> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${ROOT}/health`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.ok) return 0;
    printError(await response.text());
  } catch (error) {
    printError(`The service does not respond on port ${port}: ${(error as Error).message}`);
  }
  return 1;
}

if (import.meta.main) Deno.exit(await healthCheck(Deno.env.get("PORT") || String(DEFAULT_PORT)));

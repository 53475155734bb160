import { taskCommand } from "../../cli/service/task_command.ts";
import { TEST_SECRETS_KEY } from "../../tests/setup/fixtures/fixtures.ts";
import type { Certificate } from "./certificate.ts";
import { type BenchProcess, freePort, startProcess } from "./processes.ts";

/** Signs the platform's events. */
export const APP_SECRET = "bench-app-secret";

/** The settings of the service: nothing is tuned for the benchmark. */
export function serviceSettings(databaseUrl: string, upstreamUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY,
    SUPABASE_URL: "http://127.0.0.1:9",
    SUPABASE_PUBLISHABLE_KEY: "unused",
    WHATSAPP_API_URL: upstreamUrl,
    WHATSAPP_APP_SECRET: APP_SECRET,
    WHATSAPP_VERIFY_TOKEN: "unused",
    OUTBOUND_LOG_LEVEL: "warn",
  };
}

/** The API with its dispatcher, as `deno task serve` runs them; `settings`: what differs from serviceSettings. */
export async function startService(
  databaseUrl: string,
  upstreamUrl = "http://127.0.0.1:9",
  settings: Record<string, string> = {},
): Promise<BenchProcess & { baseUrl: string }> {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...serviceSettings(databaseUrl, upstreamUrl),
    PORT: String(port),
    OUTBOUND_PUBLIC_URL: url,
    ...settings,
  };
  const process = await startProcess(taskCommand("serve"), { env });
  return { ...process, baseUrl: `${url}/functions/v1` };
}

/**
 * A dispatcher alone, as `deno task dispatch` runs it.
 *
 * @param options `trusted`: what it trusts beside the usual authorities; `settings`: what differs from serviceSettings;
 * `cells`: which of them it works for. @default all
 */
export async function startDispatcher(
  databaseUrl: string,
  upstreamUrl: string,
  { trusted, settings, cells }: {
    trusted?: Certificate | undefined;
    settings?: Record<string, string> | undefined;
    cells?: string | undefined;
  } = {},
): Promise<BenchProcess> {
  const env = { ...serviceSettings(databaseUrl, upstreamUrl), ...settings };
  const chosen = cells === undefined ? [] : ["--cells", cells];
  return await startProcess([...taskCommand("dispatch"), ...chosen], {
    env: { ...env, ...(trusted && { DENO_CERT: trusted.certFile }) },
  });
}

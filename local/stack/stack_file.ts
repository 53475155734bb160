import { join } from "node:path";
import type { Stack } from "./start_stack.ts";
import { writePrivateFile } from "./home.ts";

const NAME = "stack.json";

/**
 * Writes the addresses of all parts, for commands and tests on this machine. The file holds keys, so only its owner may
 * read it.
 */
export async function writeStackFile(home: string, stack: Stack): Promise<void> {
  const content = {
    base_url: stack.baseUrl,
    database_url: stack.databaseUrl,
    auth_url: stack.authUrl,
    sandbox_url: stack.sandboxUrl,
    widget_url: stack.widgetUrl,
    console_url: stack.consoleUrl,
    metrics_url: stack.metricsUrl,
    pid: Deno.pid,
    demo: stack.demo,
  };
  await writePrivateFile(join(home, NAME), `${JSON.stringify(content, null, 2)}\n`);
}

/** Removes the file once it no longer describes a running stack. */
export async function removeStackFile(home: string): Promise<void> {
  await Deno.remove(join(home, NAME)).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

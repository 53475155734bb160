import { within } from "../../../cli/service/stopping.ts";

const MAX_WAIT_MS = 5000;

/**
 * Closes a server once its responses are sent. A test that has failed may hold one back for good, and must end with its failure
 * all the same: after five seconds the server is left open, which the sanitizers of `deno test` report.
 */
export async function closeServer(server: Deno.HttpServer): Promise<void> {
  await within(MAX_WAIT_MS, server.shutdown());
}

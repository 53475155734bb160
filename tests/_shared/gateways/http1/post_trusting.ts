/**
 * Posts to the URL of the first argument, whose host is this machine, and prints the kind of the outcome. Runs in a process
 * of its own, for the certificates that the environment names.
 *
 * @module
 */
import { print } from "../../../../cli/terminal/print.ts";
import { withConnections } from "./with_connections.ts";

await withConnections(async (post) => {
  print((await post(Deno.args[0]!)).kind);
}, { resolve: () => Promise.resolve(["127.0.0.1"]) });

/** Runs a database until it is killed; the first line it prints is the URL. */
import { startDatabase } from "../../../local/database/start.ts";
import { print } from "../../../cli/terminal/print.ts";

const [directory] = Deno.args;
if (directory === undefined) throw new TypeError("The folder is missing");
print((await startDatabase({ directory, port: 0 })).url);

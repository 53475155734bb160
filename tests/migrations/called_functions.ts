import { fileURLToPath } from "node:url";
import { listSourceFiles } from "../tools/import_graph.ts";

/** The command line of the API has no database. */
const OF_CLIENTS = "cli/outbound/";

/** Returns the text of every file that calls the database: of the service and of its commands. */
export async function readCallingCode(): Promise<string[]> {
  const root = new URL("../../", import.meta.url);
  const files = await listSourceFiles(fileURLToPath(root), ["supabase", "cli"]);
  const calling = files.filter((file) => !file.startsWith(OF_CLIENTS));
  return await Promise.all(calling.map((file) => Deno.readTextFile(new URL(file, root))));
}

/** Returns the SQL functions that the code of this version calls, by name. */
export async function calledFunctions(): Promise<string[]> {
  const texts = await readCallingCode();
  const names = texts.flatMap((text) => [...text.matchAll(/\boutbound\.(\w+)\(/g)].map(([, name]) => name!));
  return [...new Set(names)].sort();
}

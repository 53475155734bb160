import { fileURLToPath } from "node:url";
import { exitCodeOf } from "./terminal/command_line.ts";
import { print } from "./terminal/print.ts";
import { generateClient } from "./sdk_generate/generate_client.ts";
import { generateGo } from "./sdk_generate/go/generate_go.ts";
import { readDocuments, renderDocument } from "./sdk_generate/read_documents.ts";

const DOCUMENT = "supabase/functions/openapi/document.json";
const CLIENT = "sdk/typescript/src/generated";
const GO = "sdk/go";

/** Runs the command `deno task sdk:generate` and returns its exit code. */
async function sdkGenerate(): Promise<number> {
  const { served, forClients } = await readDocuments();
  await Deno.writeTextFile(pathOf(DOCUMENT), renderDocument(served));
  await generateClient(pathOf(CLIENT), forClients);
  await generateGo(pathOf(GO), forClients);
  print(`wrote ${DOCUMENT}, ${CLIENT} and ${GO}`);
  return 0;
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}

if (import.meta.main) Deno.exit(await exitCodeOf(sdkGenerate));

import { fileURLToPath } from "node:url";
import { exitCodeOf } from "./terminal/command_line.ts";
import { print } from "./terminal/print.ts";
import { generateClient } from "./sdk_generate/typescript/generate_client.ts";
import { generateGo } from "./sdk_generate/go/generate_go.ts";
import { generatePython } from "./sdk_generate/python/generate_python.ts";
import { readDocuments, renderDocument } from "./sdk_generate/read_documents.ts";

const DOCUMENT = "supabase/functions/openapi/document.json";
const TYPESCRIPT = "sdk/typescript/src/generated";
const PYTHON = "sdk/python/src/outbound/generated";
const GO = "sdk/go";

/** Runs the command `deno task sdk:generate` and returns its exit code. */
async function sdkGenerate(): Promise<number> {
  const { served, forClients } = await readDocuments();
  await Deno.writeTextFile(pathOf(DOCUMENT), renderDocument(served));
  await generateClient(pathOf(TYPESCRIPT), forClients);
  await generatePython(pathOf(PYTHON), forClients);
  await generateGo(pathOf(GO), forClients);
  print(`wrote ${DOCUMENT}, ${TYPESCRIPT}, ${PYTHON} and ${GO}`);
  return 0;
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}

if (import.meta.main) Deno.exit(await exitCodeOf(sdkGenerate));

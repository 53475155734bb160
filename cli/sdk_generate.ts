import { fileURLToPath } from "node:url";
import { exitCodeOf } from "./command_line.ts";
import { print } from "./print.ts";
import { generateClient } from "./sdk_generate/generate_client.ts";

const FOLDER = new URL("../sdk/typescript/src/generated", import.meta.url);

/** Runs the command `deno task sdk:generate` and returns its exit code. */
async function sdkGenerate(): Promise<number> {
  await generateClient(fileURLToPath(FOLDER));
  print("wrote sdk/typescript/src/generated");
  return 0;
}

if (import.meta.main) Deno.exit(await exitCodeOf(sdkGenerate));

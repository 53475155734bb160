import { createClient } from "@hey-api/openapi-ts";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { respond } from "./respond.ts";

interface Wanted {
  /** Emptied first. */
  folder: string;
  document: Record<string, unknown>;
}

/** Writes the types and calls of a TypeScript client of an API document: a function per operation, and its types. */
async function generate({ folder, document }: Wanted): Promise<null> {
  await createClient({
    input: document,
    output: { path: folder, module: { extension: ".ts" } },
    plugins: [
      "@hey-api/typescript",
      { name: "@hey-api/client-fetch", throwOnError: true },
      { name: "@hey-api/sdk", responseStyle: "data", client: false, auth: false },
    ],
    logs: { level: "silent", file: false },
  });
  for (const part of ["client", "core"]) await leaveUnchecked(join(folder, part));
  await Deno.copyFile(licenceOf("@hey-api/openapi-ts"), join(folder, "LICENSE.md"));
  return null;
}

/** The generated code contains the generator's own client, so its licence goes with it. */
function licenceOf(packageName: string): string {
  return join(dirname(findPackageJSON(packageName, import.meta.url)!), "LICENSE.md");
}

/** The generator's own code is not written for `exactOptionalPropertyTypes` and `noUncheckedIndexedAccess`. */
async function leaveUnchecked(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    const file = join(folder, name);
    await Deno.writeTextFile(file, `// @ts-nocheck\n${await Deno.readTextFile(file)}`);
  }
}

if (import.meta.main) await respond(generate);

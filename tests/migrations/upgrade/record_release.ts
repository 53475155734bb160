/**
 * Records a release, for the migrations that follow it: `deno task release:record`. Freezes the migrations, writes what the
 * code of this version uses of the database, and keeps its calls for the test of upgrades.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { runDeno } from "../../../cli/browser_build/bundle.ts";
import { readMigrations } from "../../../cli/migrations/read.ts";
import { type Catalogue, readCatalogue } from "../../../cli/schema/catalogue.ts";
import { freeze } from "../../../cli/schema/frozen.ts";
import { readSchema } from "../../../cli/schema/read_schema.ts";
import { callsIn, RELEASED_CALLS } from "../../../cli/schema/released_calls.ts";
import { print } from "../../../cli/terminal/print.ts";
import { createBarePglite } from "../../setup/database/pglite.ts";
import { readCallingCode } from "../called_functions.ts";
import { RELEASES } from "./releases.ts";

const ROOT = new URL("../../../", import.meta.url);

async function recordRelease(): Promise<void> {
  const migrations = await readMigrations();
  for (const file of await freeze(migrations)) print(`froze supabase/migrations/${file}`);
  const calls = callsIn(await readCode(), await declaredCatalogue());
  await write(RELEASED_CALLS, `${JSON.stringify(calls, null, 2)}\n`);
  await write(new URL(`${migrations.at(-1)!.version}.js`, RELEASES), await bundleVersion());
}

async function write(file: URL, text: string): Promise<void> {
  await Deno.mkdir(new URL("./", file), { recursive: true });
  await Deno.writeTextFile(file, text);
  print(`wrote ${file.pathname.slice(ROOT.pathname.length)}`);
}

/** All that calls the database: code, and functions in it, which may be under way while the next migrations are applied. */
export async function readCode(): Promise<string[]> {
  const schema = await readSchema();
  return [...await readCallingCode(), ...schema.flatMap(({ text }) => bodiesIn(text))];
}

/** Returns the bodies of the functions that a file of SQL defines, and what it runs at once. */
function bodiesIn(text: string): string[] {
  return [...text.matchAll(/\b(?:as|do) \$\$(.*?)\$\$|^return (.*?);$/gms)].map(([body]) => body);
}

/** Reads the catalogue of the schema that `supabase/schemas` describes. */
export async function declaredCatalogue(): Promise<Catalogue> {
  const database = await createBarePglite();
  try {
    for (const { text } of await readSchema()) await database.exec(text);
    return await readCatalogue(async (sql) => (await database.query<Record<string, unknown>>(sql)).rows);
  } finally {
    await database.close();
  }
}

/** Returns `version.ts` with everything that it needs, as one module. */
export async function bundleVersion(): Promise<string> {
  const file = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await runDeno(fileURLToPath(ROOT), [
      ...["bundle", "--quiet", "--minify", "--platform=deno", "--output", file],
      ...["--import-map=tests/import_map.json", "--lock=tests/deno.lock", "--frozen"],
      "tests/migrations/upgrade/version.ts",
    ]);
    return await Deno.readTextFile(file);
  } finally {
    await Deno.remove(file);
  }
}

if (import.meta.main) await recordRelease();

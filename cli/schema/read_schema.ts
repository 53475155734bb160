/** One file of `supabase/schemas`. */
export interface SchemaFile {
  /** Below `supabase/schemas`, such as `20_queue/tick.sql`. */
  path: string;
  text: string;
}

/** The folder that holds the database as it is now. */
const SCHEMAS_DIRECTORY = new URL("../../supabase/schemas/", import.meta.url);

/** The first migration, generated from `supabase/schemas`. */
export const BASELINE_FILE = "20261121000000_baseline.sql";

/** Reads the files of `supabase/schemas` in the order they are applied, which is the order of their paths. */
export async function readSchema(directory: URL = SCHEMAS_DIRECTORY): Promise<SchemaFile[]> {
  const paths = (await sqlFiles(directory)).sort();
  return await Promise.all(
    paths.map(async (path) => ({ path, text: await Deno.readTextFile(new URL(path, directory)) })),
  );
}

async function sqlFiles(directory: URL, prefix = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(prefix, directory))) {
    if (isDirectory) paths.push(...await sqlFiles(directory, `${prefix}${name}/`));
    else if (name.endsWith(".sql")) paths.push(`${prefix}${name}`);
  }
  return paths;
}

/** Returns the text of the baseline: all files, one after the other. */
export function baselineOf(files: SchemaFile[]): string {
  const parts = files.map(({ path, text }) => `-- ${path}\n\n${text.trim()}\n`);
  return `${BASELINE_HEADER}\n${parts.join("\n")}\n${BODIES_CHECKED}`;
}

const BASELINE_HEADER =
  `-- Generated from supabase/schemas by "deno task schema:migration --baseline". Every database begins with this migration.
-- Once supabase/migrations.sha256 names it, it never changes: every change is a migration that follows it.
`;

/** Begins and ends a migration that creates functions before the functions that they use; `00_schema.sql` says why. */
export const BODIES_UNCHECKED = "set check_function_bodies = off;\n";
export const BODIES_CHECKED = "reset check_function_bodies;\n";

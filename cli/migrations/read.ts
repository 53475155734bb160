/** One file of `supabase/migrations`. */
export interface Migration {
  /** File name, such as `20270102030405_companies.sql`. */
  file: string;
  /** The digits before the first underscore; the key of the history table. */
  version: string;
  name: string;
  text: string;
}

/** The folder of the migrations. */
export const MIGRATIONS = new URL("../../supabase/migrations/", import.meta.url);

/** The rule of the Supabase CLI, which skips files of any other name. */
const FILE_NAME = /^([0-9]+)_(.*)\.sql$/;

/** Reads the migrations of a folder in the order they are applied, which is the order of their names. */
export async function readMigrations(directory: URL = MIGRATIONS): Promise<Migration[]> {
  const files: string[] = [];
  for await (const entry of Deno.readDir(directory)) {
    if (entry.isFile) files.push(entry.name);
  }
  const migrations: Migration[] = [];
  for (const file of files.sort()) {
    const [, version, name] = FILE_NAME.exec(file) ?? [];
    if (version === undefined || name === undefined) continue;
    migrations.push({ file, version, name, text: await Deno.readTextFile(new URL(file, directory)) });
  }
  return migrations;
}

import { pathToFileURL } from "node:url";
import type postgres from "postgres";
import { withBareDatabase } from "../../setup/database/database.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

/** Calls `fn` with an empty database and a folder holding the given files. */
export async function withMigrations(
  files: Record<string, string>,
  fn: (context: { sql: postgres.Sql; url: string; directory: URL; add: typeof addFiles }) => Promise<void>,
): Promise<void> {
  await withTempFolder((folder) =>
    withBareDatabase(async ({ sql, url }) => {
      const directory = pathToFileURL(`${folder}/`);
      await addFiles(directory, files);
      await fn({ sql, url, directory, add: addFiles });
    })
  );
}

async function addFiles(directory: URL, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(new URL(name, directory), text);
}

import type postgres from "postgres";
import { readHistory, refuseOtherLineage } from "./history.ts";
import { readMigrations } from "./read.ts";

/**
 * Returns the names of the migrations that a database lacks, oldest first.
 *
 * @throws {LineageError} for a database that other migrations made
 */
export async function pendingMigrations(sql: postgres.Sql, directory?: URL): Promise<string[]> {
  const migrations = await readMigrations(directory);
  const history = await readHistory(sql);
  refuseOtherLineage(migrations, history);
  return migrations.filter(({ version }) => !history.versions.has(version)).map(({ file }) => file);
}

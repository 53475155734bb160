import type postgres from "postgres";
import { readMigrations } from "./read.ts";

/** The names of the migrations a database has not had yet, oldest first. */
export async function pendingMigrations(sql: postgres.Sql, directory?: URL): Promise<string[]> {
  const migrations = await readMigrations(directory);
  const [history] = await sql`select to_regclass('supabase_migrations.schema_migrations') as name`;
  const rows = history?.name ? await sql`select version from supabase_migrations.schema_migrations` : [];
  const known = new Set(rows.map((row) => row.version));
  return migrations.filter(({ version }) => !known.has(version)).map(({ file }) => file);
}

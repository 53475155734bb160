/**
 * `deno run -A tests/tools/dump_schema.ts` writes `tests/fixtures/schema.sql`: the schema all migrations together
 * make, so that a reviewer sees the result without replaying them.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { applyMigrations } from "../../cli/migrations/apply.ts";
import { findPostgres } from "./postgres_binaries.ts";
import { startCluster } from "./postgres_cluster.ts";
import { clusterFolder, makeRunFolder, removeRunFolder } from "./run_folder.ts";

/** The file that holds the dump. */
export const SCHEMA_FILE = fileURLToPath(new URL("../fixtures/schema.sql", import.meta.url));

/** The only version whose dump is compared; others word the same schema a little differently. */
export const DUMPED_MAJOR = 15;

const HEADER = `-- Schema outbound after all migrations. Not applied by anything: made for reading by
-- \`deno run -A tests/tools/dump_schema.ts\`, and kept up to date by a test.
`;

/** Dumps schema `outbound` of a database as readable SQL, without settings, owners and versions. */
export async function dumpSchema(binariesFolder: string, url: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(join(binariesFolder, "pg_dump"), {
    args: ["--schema-only", "--no-owner", "--schema=outbound", `--dbname=${url}`],
    stdin: "null",
  }).output();
  if (!success) throw new Error(`pg_dump failed: ${new TextDecoder().decode(stderr).trim()}`);
  return `${HEADER}\n${readable(new TextDecoder().decode(stdout))}`;
}

/** Drops what pg_dump adds around the objects: its comments, settings and blank lines. */
function readable(dump: string): string {
  return dump
    .replace(
      /^(--$|-- (Name|PostgreSQL|Dumped)\b.*|\\(un)?restrict .*|SET .*;|SELECT pg_catalog\.set_config.*)\n/gm,
      "",
    )
    .replace(/\n{3,}/g, "\n\n")
    .trim() + "\n";
}

async function writeSchema(): Promise<void> {
  const binaries = await findPostgres();
  if (binaries?.major !== DUMPED_MAJOR) throw new Error(`The dump is made with Postgres ${DUMPED_MAJOR}`);
  const folder = await makeRunFolder();
  try {
    const url = await startCluster(binaries, clusterFolder(folder));
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    await applyMigrations(sql).finally(() => sql.end());
    await Deno.writeTextFile(SCHEMA_FILE, await dumpSchema(binaries.folder, url));
  } finally {
    await removeRunFolder(folder);
  }
}

if (import.meta.main) await writeSchema();

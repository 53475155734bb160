import { createHash } from "node:crypto";
import type postgres from "postgres";
import { type Migration, readMigrations } from "./read.ts";

/** The migrations that a database has had. */
export interface History {
  /** Versions of all projects that keep their history in this database. */
  versions: Set<string>;
  /** SHA-256 of the text of each file that this runner applied, by version. The Supabase CLI records statements instead. */
  hashes: Map<string, string>;
  /** Whether the database has a schema `outbound`. */
  hasSchema: boolean;
}

/** Other migrations than those of `supabase/migrations` made the database, so it cannot be upgraded. */
export class LineageError extends Error {
  override readonly name = "LineageError";
}

interface HistoryRow {
  version: string;
  hash: string | null;
}

/** Reads the history that the Supabase CLI and `deno task migrate` share; empty where there is none yet. */
export async function readHistory(sql: postgres.ISql): Promise<History> {
  const [found] = await sql<{ history: boolean; schema: boolean }[]>`
    select to_regclass('supabase_migrations.schema_migrations') is not null as history,
      to_regnamespace('outbound') is not null as schema`;
  const rows = found!.history
    ? await sql<HistoryRow[]>`
      select version,
        case when cardinality(statements) = 1 then encode(sha256(convert_to(statements[1], 'UTF8')), 'hex') end as hash
      from supabase_migrations.schema_migrations`
    : [];
  return {
    versions: new Set(rows.map(({ version }) => version)),
    hashes: new Map(rows.flatMap(({ version, hash }) => hash === null ? [] : [[version, hash]])),
    hasSchema: found!.schema,
  };
}

/**
 * Refuses a database that a pre-release version made. All other versions that this code does not know are left alone: those
 * of later versions of this service, and those of other projects that keep their history in the same table.
 *
 * @throws {LineageError}
 */
export function refuseOtherLineage(migrations: Migration[], history: History): void {
  const [first] = migrations;
  if (first === undefined) return;
  const foreign = unknownVersions(migrations, history).find((version) =>
    version > first.version && version.startsWith(first.version.slice(0, HOUR_DIGITS))
  );
  if (foreign !== undefined) {
    throw new LineageError(
      `${PRE_RELEASE}: its history holds ${foreign}, which is no file of supabase/migrations. ${ADVICE}`,
    );
  }
  const applied = history.hashes.get(first.version);
  if (applied !== undefined && applied !== sha256(first.text)) {
    throw new LineageError(`${PRE_RELEASE}: it was made from an earlier ${first.file}. ${ADVICE}`);
  }
  if (history.hasSchema && !migrations.some(({ version }) => history.versions.has(version))) {
    throw new LineageError(
      "This database has a schema outbound, but its history names none of these migrations: a pre-release version made " +
        `it, or it was restored without schema supabase_migrations. ${ADVICE}`,
    );
  }
}

/** Pre-release versions numbered their files within the hour of the baseline; no later file has it. */
const HOUR_DIGITS = 10;

/** Returns the versions in a history that are newer than every file: of a later version of this service, or of another project. */
export function laterVersions(migrations: Migration[], history: History): string[] {
  const newest = migrations.at(-1)?.version ?? "";
  return unknownVersions(migrations, history).filter((version) => version > newest);
}

function unknownVersions(migrations: Migration[], { versions }: History): string[] {
  const ours = new Set(migrations.map(({ version }) => version));
  return [...versions].filter((version) => !ours.has(version)).sort();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const PRE_RELEASE = "This database was made by a pre-release version";
const ADVICE = 'It cannot be upgraded: use an empty database (see "Upgrades" in docs/operations.md)';

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

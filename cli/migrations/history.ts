import type postgres from "postgres";
import type { Migration } from "./read.ts";

/** What a database says of the migrations it has had. */
export interface History {
  /** Versions of all projects that keep their history in this database. */
  versions: Set<string>;
  /** Whether schema `outbound` is there. */
  hasSchema: boolean;
}

/** The database was made by migrations of another lineage than the files here, so there is no way up from it. */
export class LineageError extends Error {
  override readonly name = "LineageError";
}

/** Reads the history that the Supabase CLI and `deno task migrate` share; empty where there is none yet. */
export async function readHistory(sql: postgres.ISql): Promise<History> {
  const [found] = await sql<{ history: boolean; schema: boolean }[]>`
    select to_regclass('supabase_migrations.schema_migrations') is not null as history,
      to_regnamespace('outbound') is not null as schema`;
  const rows = found!.history
    ? await sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations`
    : [];
  return { versions: new Set(rows.map((row) => row.version)), hasSchema: found!.schema };
}

/**
 * Refuses a database that other files than these have made: its history holds a version between our first and our newest
 * one that is no file here, or schema `outbound` is there and the history names none of our files. Versions before our
 * first and after our newest are other projects' business.
 *
 * @throws {LineageError}
 */
export function refuseOtherLineage(migrations: Migration[], { versions, hasSchema }: History): void {
  const ours = new Set(migrations.map(({ version }) => version));
  const [first, newest] = [migrations[0]?.version, migrations.at(-1)?.version];
  if (first === undefined || newest === undefined) return;
  const foreign = [...versions].filter((version) =>
    !ours.has(version) && version > first && version < newest
  );
  if (foreign.length > 0) {
    throw new LineageError(
      `This database was made by a pre-release version: its history holds ${
        foreign.sort()[0]
      }, which is no file of ` +
        `supabase/migrations. There is no way up from it: use an empty database ${SEE}`,
    );
  }
  if (hasSchema && !migrations.some(({ version }) => versions.has(version))) {
    throw new LineageError(
      "This database has a schema outbound, but its history names none of these migrations: a pre-release version made " +
        `it, or it was restored without schema supabase_migrations ${SEE}`,
    );
  }
}

const SEE = '(see "Upgrades" in docs/operations.md)';

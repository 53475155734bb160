import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { applyMigrations } from "../../../cli/migrations/apply.ts";
import { CONFIG, servePglite } from "../../../local/database/serve_pglite.ts";
import postgres from "postgres";

/** A PGlite data directory, packed: the state a test database starts from. */
export interface PgliteTemplates {
  bare: Blob;
  migrated: Blob;
}

/**
 * Starts a PGlite in memory from a template and serves it on a free port, as the embedded database does. Opening a
 * packed directory takes about 0.15 s, a twentieth of making one.
 */
export async function openPglite(
  template: keyof PgliteTemplates,
): Promise<{ url: string; close(): Promise<void> }> {
  const { [template]: loadDataDir } = await loadTemplates();
  const database = await PGlite.create({ loadDataDir, postgresqlconf: CONFIG });
  const server = servePglite(database, { port: 0 });
  return {
    url: urlOf(server.port),
    close: async () => {
      await server.close();
      await database.close();
    },
  };
}

/** Makes an empty PGlite in memory, for code that takes the database itself and not its address. */
export async function createBarePglite(): Promise<PGlite> {
  const { bare } = await loadTemplates();
  return await PGlite.create({ loadDataDir: bare, postgresqlconf: CONFIG });
}

/** Keeps the template small, as every test unpacks it: short WAL segments, and few of them. */
const SMALL_WAL = {
  initDbStartParams: ["--wal-segsize=1"],
  postgresqlconf: ["min_wal_size=2MB", "max_wal_size=2MB"],
};

/** Makes both templates from nothing; takes about 3 s. */
export async function buildPgliteTemplates(): Promise<PgliteTemplates> {
  const database = await PGlite.create(SMALL_WAL);
  await dropOtherDatabases(database);
  const bare = await pack(database);
  const server = servePglite(database, { port: 0 });
  const sql = postgres(urlOf(server.port), { max: 1, onnotice: () => {} });
  await applyMigrations(sql).finally(() => sql.end());
  await server.close();
  const migrated = await pack(database);
  await database.close();
  return { bare, migrated };
}

/** A PGlite uses one database; the two that Postgres keeps for making others are two thirds of its files. */
async function dropOtherDatabases(database: PGlite): Promise<void> {
  await database.exec("update pg_database set datistemplate = false");
  for (const name of ["template0", "template1"]) await database.exec(`drop database ${name}`);
}

/** Not compressed: unpacking costs every test more than reading a larger file. */
async function pack(database: PGlite): Promise<Blob> {
  await database.exec("checkpoint");
  return await database.dumpDataDir("none");
}

/** The files in which `deno task test` keeps the templates for its processes. */
export function templateFile(folder: string, template: keyof PgliteTemplates): string {
  return join(folder, `${template}.tar`);
}

let templates: Promise<PgliteTemplates> | undefined;

function loadTemplates(): Promise<PgliteTemplates> {
  const folder = Deno.env.get("TEST_PGLITE_TEMPLATES");
  return templates ??= folder ? readTemplates(folder) : buildPgliteTemplates();
}

async function readTemplates(folder: string): Promise<PgliteTemplates> {
  const read = async (template: keyof PgliteTemplates) =>
    new Blob([await Deno.readFile(templateFile(folder, template))]);
  return { bare: await read("bare"), migrated: await read("migrated") };
}

function urlOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

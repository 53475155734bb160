import { PGlite } from "@electric-sql/pglite";
import { type Migration, readMigrations } from "../migrations/read.ts";
import { type Catalogue, differences, keyOf, readCatalogue } from "./catalogue.ts";
import { type Delta, deltaOf } from "./delta.ts";
import { readSchema, type SchemaFile } from "./read_schema.ts";

/** The folders of a schema, and when the new migration is written. */
export interface DeltaOptions {
  /** In snake_case, such as `add_sender_labels`. */
  name: string;
  /** Whether functions that exist may be dropped, though processes of the version before may call them. @default false */
  replace?: boolean;
  schemas?: URL;
  migrations?: URL;
  now?: Date;
  /** Makes an empty database. @default one in memory */
  createDatabase?: () => Promise<PGlite>;
}

const MIGRATIONS = new URL("../../supabase/migrations/", import.meta.url);

/**
 * Compares the database that `supabase/schemas` describes with the one that the migrations make, in a PGlite in memory,
 * and writes the migrations that lead from the second to the first. Tries them out.
 *
 * @returns the names of the files, what they drop, and the differences that they leave
 */
export async function writeDelta(
  {
    name,
    replace = false,
    schemas,
    migrations = MIGRATIONS,
    now = new Date(),
    createDatabase = () => PGlite.create(),
  }: DeltaOptions,
): Promise<{ files: string[]; gone: string[]; todo: string[] }> {
  const existing = await readMigrations(migrations);
  const files = await readSchema(schemas);
  const database = await createDatabase();
  try {
    const after = await declared(database, files);
    for (const { text } of existing) await apply(database, text);
    const delta = deltaOf(files, await catalogueOf(database), after);
    if (delta.dropped.length > 0 && !replace) {
      return { files: [], gone: [], todo: delta.dropped.map(refused) };
    }
    const written = await writeFiles(migrations, existing, name, now, delta);
    const failure = await tryOut(database, delta);
    const left = failure ??
      differences(await catalogueOf(database), after).map((object) => `${keyOf(object)} still differs`);
    return { files: written, gone: delta.gone, todo: [...delta.todo, ...left] };
  } finally {
    await database.close();
  }
}

function refused(name: string): string {
  return `drops function ${name}, which the running version may call: give the new one another name, or pass --replace`;
}

/** Reads the catalogue of the schema that the files describe, and leaves the database as it was. */
async function declared(database: PGlite, files: SchemaFile[]): Promise<Catalogue> {
  await database.exec("begin");
  for (const { text } of files) await apply(database, text);
  const catalogue = await catalogueOf(database);
  await database.exec("rollback");
  return catalogue;
}

async function catalogueOf(database: PGlite): Promise<Catalogue> {
  return await readCatalogue(async (sql) => (await database.query<Record<string, unknown>>(sql)).rows);
}

async function apply(database: PGlite, text: string): Promise<void> {
  await database.exec(text.replace(/ index concurrently /g, " index "));
}

/** Applies a delta where it was written for. Returns why that failed, if it did. */
async function tryOut(database: PGlite, delta: Delta): Promise<string[] | undefined> {
  try {
    for (const text of [delta.migration, delta.newIndexes, delta.oldIndexes]) await apply(database, text);
  } catch (error) {
    return [`The migration fails: ${(error as Error).message}`];
  }
}

async function writeFiles(
  directory: URL,
  existing: Migration[],
  name: string,
  now: Date,
  { migration, newIndexes, oldIndexes }: Delta,
): Promise<string[]> {
  const texts = [[name, migration], [`${name}_new_indexes`, newIndexes], [
    `${name}_old_indexes`,
    oldIndexes,
  ]] as const;
  const written: string[] = [];
  let version = Math.max(Number(timestamp(now)), Number(existing.at(-1)?.version ?? 0) + 1);
  for (const [title, text] of texts) {
    if (text === "") continue;
    const file = `${version++}_${title}.sql`;
    await Deno.writeTextFile(new URL(file, directory), text, { createNew: true });
    written.push(file);
  }
  return written;
}

function timestamp(now: Date): string {
  return now.toISOString().replace(/\D/g, "").slice(0, 14);
}

import { PGlite } from "@electric-sql/pglite";
import { type Migration, MIGRATIONS, readMigrations } from "../migrations/read.ts";
import { type Catalogue, differences, keyOf, readCatalogue } from "./catalogue.ts";
import { type Delta, deltaOf } from "./delta.ts";
import { isUsed, readReleasedCalls, type ReleasedCalls } from "./released_calls.ts";
import { readSchema, type SchemaFile } from "./read_schema.ts";

/** The folders of a schema, and when the new migration is written. */
export interface DeltaOptions {
  /** In snake_case, such as `add_sender_labels`. */
  name: string;
  /** Whether it may drop functions, columns, tables and views, though processes of the last release may use them. @default false */
  drop?: boolean;
  /** The record of the last release. @default the one of this repository */
  released?: ReleasedCalls | undefined;
  schemas?: URL;
  migrations?: URL;
  now?: Date;
  /** Makes an empty database. @default one in memory */
  createDatabase?: () => Promise<PGlite>;
}

export interface WrittenDelta {
  files: string[];
  gone: string[];
  used: string[];
  todo: string[];
}

/**
 * Compares the database that `supabase/schemas` describes with the one that the migrations make, in a PGlite in memory,
 * and writes the migrations that lead from the second to the first. Tries them out.
 *
 * @returns the names of the files, what they drop, what of it the last release uses, and the differences that they leave
 */
export async function writeDelta(options: DeltaOptions): Promise<WrittenDelta> {
  const { name, drop = false, schemas, migrations = MIGRATIONS, now = new Date() } = options;
  const { createDatabase = () => PGlite.create() } = options;
  const released = "released" in options ? options.released : await readReleasedCalls();
  const existing = await readMigrations(migrations);
  const files = await readSchema(schemas);
  const database = await createDatabase();
  try {
    const after = await declared(database, files);
    for (const { text } of existing) await apply(database, text);
    const delta = deltaOf(files, await catalogueOf(database), after);
    const drops = dropsOf(delta);
    if (drops.length > 0 && !drop) {
      return { files: [], gone: [], used: [], todo: drops.map((key) => refused(key, delta, released)) };
    }
    const written = await writeFiles(migrations, existing, name, now, delta);
    const failure = await tryOut(database, delta);
    const left = failure ??
      differences(await catalogueOf(database), after).map((object) => `${keyOf(object)} still differs`);
    const used = drops.filter((key) => released !== undefined && isUsed(released, key));
    return { files: written, gone: delta.gone, used, todo: [...delta.todo, ...left] };
  } finally {
    await database.close();
  }
}

/** Returns the objects that running processes may use, and that the migration takes from them; by key. */
function dropsOf({ remade, gone }: Delta): string[] {
  return [...new Set([...remade, ...gone.filter((key) => /^(function|column|table|view) /.test(key))])];
}

function refused(key: string, { remade }: Delta, released: ReleasedCalls | undefined): string {
  const drops = remade.includes(key) ? `changes the arguments or the result of ${key}` : `drops ${key}`;
  if (released === undefined) return `${drops}: pass --drop, once no process uses it`;
  if (!isUsed(released, key)) return `${drops}, which the last release does not use: pass --drop`;
  return `${drops}, which the last release uses: write what replaces it under another name, and drop it in the next release`;
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
    for (const { text } of partsOf(delta)) await apply(database, text);
  } catch (error) {
    return [`The migration fails: ${(error as Error).message}`];
  }
}

async function writeFiles(
  directory: URL,
  existing: Migration[],
  name: string,
  now: Date,
  delta: Delta,
): Promise<string[]> {
  const written: string[] = [];
  let version = Math.max(Number(timestamp(now)), Number(existing.at(-1)?.version ?? 0) + 1);
  for (const { ending, text } of partsOf(delta)) {
    const file = `${version++}_${name}${ending}.sql`;
    await Deno.writeTextFile(new URL(file, directory), text, { createNew: true });
    written.push(file);
  }
  return written;
}

/** The files of a delta, in the order in which they run. */
function partsOf(delta: Delta): { ending: string; text: string }[] {
  return [
    ...delta.migrations.map((text, index) => ({ ending: index === 0 ? "" : `_${index + 1}`, text })),
    { ending: "_validate", text: delta.validations },
    { ending: "_new_indexes", text: delta.newIndexes },
    { ending: "_old_indexes", text: delta.oldIndexes },
  ].filter(({ text }) => text !== "");
}

function timestamp(now: Date): string {
  return now.toISOString().replace(/\D/g, "").slice(0, 14);
}

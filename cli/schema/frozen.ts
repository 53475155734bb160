import { createHash } from "node:crypto";
import { CommandError } from "../errors/command_error.ts";
import type { Migration } from "../migrations/read.ts";

/** The checksums of the migrations that databases are made from, as `sha256sum` writes them; absent before the first. */
export const FROZEN_FILE = new URL("../../supabase/migrations.sha256", import.meta.url);

/** The checksum of each frozen migration, by file name, the oldest first. */
export type Frozen = Map<string, string>;

/** Reads the frozen migrations; empty before the baseline is frozen. */
export async function readFrozen(file: URL = FROZEN_FILE): Promise<Frozen> {
  try {
    const lines = (await Deno.readTextFile(file)).split("\n").filter((line) => line !== "");
    return new Map(lines.map((line) => {
      const [sum = "", path = ""] = line.split(/ +/);
      return [path.replace(FOLDER, ""), sum];
    }));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Map();
    throw error;
  }
}

/** Returns what is wrong with frozen migrations, one line each: those that were changed, removed, or overtaken. */
export function frozenFaults(migrations: Migration[], frozen: Frozen): string[] {
  const present = new Map(migrations.map((migration) => [migration.file, migration]));
  const files = [...frozen.keys()];
  const newest = files.toSorted().at(-1) ?? "";
  return [
    ...[...frozen].flatMap(([file, sum]) => {
      const migration = present.get(file);
      if (migration === undefined) {
        return [`${file} is frozen, and gone: databases are made from it, so restore it`];
      }
      if (sumOf(migration) === sum) return [];
      return [`${file} is frozen, and was changed: restore it, and write a migration that follows it`];
    }),
    ...files.filter((file, index) => index > 0 && file < files[index - 1]!).map((file) =>
      `${file} sorts before a migration that was frozen earlier: give it a later time, and freeze it again`
    ),
    ...migrations.filter(({ file }) => !frozen.has(file) && file < newest).map(({ file }) =>
      `${file} sorts before ${newest}, which databases already have: give it a later time`
    ),
  ];
}

/**
 * Adds the checksums of the migrations that have none. From then on their text stays.
 *
 * @returns their names
 * @throws {CommandError} `bad_value` when one that is frozen was changed
 */
export async function freeze(migrations: Migration[], file: URL = FROZEN_FILE): Promise<string[]> {
  const frozen = await readFrozen(file);
  const [fault] = frozenFaults(migrations, frozen);
  if (fault !== undefined) throw new CommandError("bad_value", fault);
  const added = migrations.filter((migration) => !frozen.has(migration.file));
  const lines = added.map((migration) => `${sumOf(migration)}  ${FOLDER}${migration.file}\n`);
  if (lines.length > 0) await Deno.writeTextFile(file, lines.join(""), { append: true });
  return added.map((migration) => migration.file);
}

const FOLDER = "migrations/";

function sumOf({ text }: Migration): string {
  return createHash("sha256").update(text).digest("hex");
}

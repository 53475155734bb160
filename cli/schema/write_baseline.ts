import { CommandError } from "../errors/command_error.ts";
import { MIGRATIONS } from "../migrations/read.ts";
import { FROZEN_FILE, readFrozen } from "./frozen.ts";
import { BASELINE_FILE, baselineOf, readSchema } from "./read_schema.ts";

/**
 * Writes the baseline from `supabase/schemas`.
 *
 * @throws {CommandError} `usage` once it is frozen
 */
export async function writeBaseline({ migrations = MIGRATIONS, frozen = FROZEN_FILE } = {}): Promise<void> {
  if ((await readFrozen(frozen)).size > 0) {
    throw new CommandError(
      "usage",
      'The baseline is frozen: databases are made from it. "deno task schema:migration NAME" writes a migration that follows it',
    );
  }
  await Deno.writeTextFile(new URL(BASELINE_FILE, migrations), baselineOf(await readSchema()));
}

import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyMigrations } from "../../cli/migrations/apply.ts";
import { withBarePostgresDatabase } from "../setup/database/postgres_database.ts";
import { copyFolder } from "../setup/copy_folder.ts";
import { cliIsMissing, supabaseCli } from "./supabase_cli.ts";

/** Lines the CLI may print while all is well; anything else is a complaint. */
const ORDINARY_LINES = [
  /^npm (warn|notice)/,
  /^Target: custom Postgres/,
  /^Confirmed by --yes: /,
  /^Applying migration \d{14}_\w+\.sql\.\.\.$/,
  /^Finished supabase db push\.$/,
  /^Remote database is up to date\.$/,
];

interface Push {
  code: number;
  applied: string[];
  complaints: string[];
}

/** Runs `supabase db push` in a copy of supabase/, because the CLI writes into the folder it works in. */
async function dbPush(url: string): Promise<Push> {
  const workdir = await Deno.makeTempDir();
  try {
    await copyFolder(fileURLToPath(new URL("../../supabase", import.meta.url)), join(workdir, "supabase"));
    const { code, lines } = await supabaseCli(
      ["db", "push", "--workdir", workdir, `--remote=${url}?sslmode=disable`, "--yes"],
    );
    return {
      code,
      applied: lines.flatMap((line) => /^Applying migration (.*)\.\.\.$/.exec(line)?.[1] ?? []),
      complaints: lines.filter((line) => !ORDINARY_LINES.some((ordinary) => ordinary.test(line))),
    };
  } finally {
    await Deno.remove(workdir, { recursive: true });
  }
}

Deno.test("supabase db push applies every migration without complaint, and our runner then finds nothing to do", () =>
  withBarePostgresDatabase(async ({ sql, url }) => {
    if (await cliIsMissing("supabase db push, then our runner")) return;

    const first = await dbPush(url);
    const second = await dbPush(url);
    const own = await applyMigrations(sql);

    assert.deepEqual({ code: first.code, complaints: first.complaints }, { code: 0, complaints: [] });
    assert.ok(first.applied.length > 0);
    assert.deepEqual(second, { code: 0, applied: [], complaints: [] });
    assert.deepEqual(own, { applied: [], later: [] });
  }));

Deno.test("supabase db push finds nothing to do after our runner", () =>
  withBarePostgresDatabase(async ({ sql, url }) => {
    if (await cliIsMissing("our runner, then supabase db push")) return;
    const own = await applyMigrations(sql);

    const push = await dbPush(url);

    assert.ok(own.applied.length > 0);
    assert.deepEqual(push, { code: 0, applied: [], complaints: [] });
  }));

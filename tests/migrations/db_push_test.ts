import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyMigrations } from "../../cli/migrations/apply.ts";
import { withBarePostgresDatabase } from "../setup/postgres_database.ts";
import { skipped } from "../setup/skipped.ts";
import { copyFolder } from "../tools/copy_folder.ts";

const SUPABASE_CLI = ["-y", "supabase@3.1.0"];

/** Lines the CLI may print while all is well; anything else is a complaint. */
const ORDINARY_LINES = [
  /^npm (warn|notice)/,
  /^Warning: --db-url is deprecated/,
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
    const { code, stdout, stderr } = await npx([
      ...SUPABASE_CLI,
      ...["db", "push", "--workdir", workdir, "--db-url", `${url}?sslmode=disable`, "--yes"],
    ]);
    const lines = `${stdout}\n${stderr}`.split("\n").map((line) => line.trim()).filter((line) => line !== "");
    return {
      code,
      applied: lines.flatMap((line) => /^Applying migration (.*)\.\.\.$/.exec(line)?.[1] ?? []),
      complaints: lines.filter((line) => !ORDINARY_LINES.some((ordinary) => ordinary.test(line))),
    };
  } finally {
    await Deno.remove(workdir, { recursive: true });
  }
}

async function npx(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command("npx", {
    args,
    stdin: "null",
    env: { CI: "true", NO_COLOR: "1" },
  }).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

async function cliIsMissing(test: string): Promise<boolean> {
  const { code, stderr } = await npx([...SUPABASE_CLI, "--version"])
    .catch((error) => ({ code: 1, stderr: String(error) }));
  if (code !== 0) skipped(test, `the Supabase CLI could not be had: ${stderr.trim().split("\n").at(-1)}`);
  return code !== 0;
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
    assert.deepEqual(own, { applied: [] });
  }));

Deno.test("supabase db push finds nothing to do after our runner", () =>
  withBarePostgresDatabase(async ({ sql, url }) => {
    if (await cliIsMissing("our runner, then supabase db push")) return;
    const own = await applyMigrations(sql);

    const push = await dbPush(url);

    assert.ok(own.applied.length > 0);
    assert.deepEqual(push, { code: 0, applied: [], complaints: [] });
  }));

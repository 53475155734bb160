import assert from "node:assert/strict";
import { join } from "node:path";
import postgres from "postgres";
import { applyMigrations } from "../../cli/migrations/apply.ts";
// Has this file run where there is a Postgres only.
import "../setup/database/postgres_database.ts";
import { findPostgres } from "../setup/database/postgres_binaries.ts";
import { startCluster, stopCluster } from "../setup/database/postgres_cluster.ts";
import { cliIsMissing, supabaseCli } from "./supabase_cli.ts";

/** Roles that a project of Supabase has and its advisors ask about. */
const ROLES = ["anon", "authenticated", "service_role"];

/** Returns the warnings of Supabase's advisors on security and performance. */
async function advise(url: string): Promise<{ code: number; warnings: string[]; output: string }> {
  const { code, lines } = await supabaseCli([
    ...["db", "advisors", `--remote=${url}?sslmode=disable`],
    ...["--type", "all", "--level", "warn", "--fail-on", "warn", "--output-format", "json"],
  ]);
  const json = lines.find((line) => line.startsWith("{"));
  const { results } = JSON.parse(json ?? '{"results":[]}') as { results: { name: string; detail: string }[] };
  return {
    code,
    warnings: results.map(({ name, detail }) => `${name}: ${detail}`),
    output: lines.join("\n"),
  };
}

/** Calls `fn` with a migrated database on a server that has Supabase's roles; they are the whole server's, so it is its own. */
async function withSupabaseRoles(fn: (sql: postgres.Sql, url: string) => Promise<void>): Promise<void> {
  const parent = await Deno.makeTempDir({ prefix: "advisors-" });
  await Deno.chmod(parent, 0o755);
  const folder = join(parent, "cluster");
  try {
    const binaries = await findPostgres();
    const url = await startCluster({ ...binaries!, hasCron: false }, folder);
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      for (const role of ROLES) await sql`create role ${sql(role)}`;
      await applyMigrations(sql);
      await fn(sql, url);
    } finally {
      await sql.end({ timeout: 5 });
    }
  } finally {
    await stopCluster(folder);
    await Deno.remove(parent, { recursive: true });
  }
}

Deno.test("supabase db advisors warns of nothing in the schema, and would if there were something", async () => {
  if (await cliIsMissing("supabase db advisors")) return;
  await withSupabaseRoles(async (sql, url) => {
    const ours = await advise(url);
    await sql`create function outbound.broken() returns int language sql as 'select 1'`;
    await sql`create table outbound.broken (configuration regconfig)`;
    const broken = await advise(url);

    assert.deepEqual({ code: ours.code, warnings: ours.warnings }, { code: 0, warnings: [] }, ours.output);
    assert.notEqual(broken.code, 0);
    assert.deepEqual(broken.warnings.map((warning) => warning.split(":")[0]).sort(), [
      "function_search_path_mutable",
      "unsupported_reg_types",
    ]);
  });
});

import assert from "node:assert/strict";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { skipped } from "../setup/skipped.ts";
import { cliIsMissing, supabaseCli } from "./supabase_cli.ts";

async function lint(url: string): Promise<{ code: number; clean: boolean; output: string }> {
  const { code, lines } = await supabaseCli([
    ...["db", "lint", `--remote=${url}?sslmode=disable`],
    ...["--schema", "outbound", "--level", "warning", "--fail-on", "warning"],
  ]);
  return { code, clean: lines.includes("No schema errors found"), output: lines.join("\n") };
}

Deno.test("supabase db lint finds nothing to say about any function, and would if there were", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    const test = "supabase db lint";
    const [checker] = await sql`select 1 from pg_available_extensions where name = 'plpgsql_check'`;
    if (!checker) return skipped(test, "plpgsql_check is not installed");
    if (await cliIsMissing(test)) return;

    const ours = await lint(url);
    await sql`create function outbound.broken() returns int language plpgsql as
      'begin return (select nothing from outbound.companies limit 1); end'`;
    const broken = await lint(url);

    assert.deepEqual({ code: ours.code, clean: ours.clean }, { code: 0, clean: true }, ours.output);
    assert.equal(broken.clean, false);
    assert.match(broken.output, /column \\?"nothing\\?" does not exist/);
  }));

import assert from "node:assert/strict";
import { readMigrations } from "../../cli/migrations/read.ts";
import { baselineOf, readSchema } from "../../cli/schema/read_schema.ts";
import { withBarePostgresDatabase, withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { dumpSchema } from "./dump_schema.ts";

const BINARIES = Deno.env.get("TEST_POSTGRES_BINARIES") ?? "";

Deno.test("supabase/schemas and supabase/migrations make the same database", () =>
  withPostgresDatabase(({ url: migrated }) =>
    withBarePostgresDatabase(async ({ sql, url: declared }) => {
      const text = (await readSchema()).map((file) => file.text).join("\n");
      await sql.unsafe(text).simple();

      const [fromMigrations, fromSchemas] = [
        await dumpSchema(BINARIES, migrated),
        await dumpSchema(BINARIES, declared),
      ];

      const message = "Run `deno task schema:migration NAME` (before release 1.0: `--baseline`)";
      assert.ok(fromMigrations === fromSchemas, message);
    })
  ));

Deno.test("every function stands a check of its body", () =>
  withPostgresDatabase(async ({ sql }) => {
    const functions = await sql<{ name: string; definition: string }[]>`
      select oid::regprocedure::text as name, pg_get_functiondef(oid) as definition
      from pg_proc where pronamespace = 'outbound'::regnamespace order by 1`;

    for (const { name, definition } of functions) {
      await assert.doesNotReject(sql.unsafe(definition).simple(), `${name} does not stand the check`);
    }
  }));

Deno.test("the baseline is what supabase/schemas generates, as long as nothing follows it", async () => {
  const [baseline, ...deltas] = await readMigrations();
  if (deltas.length > 0) return;

  assert.ok(baseline?.text === baselineOf(await readSchema()), "Run `deno task schema:migration --baseline`");
});

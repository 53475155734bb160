import assert from "node:assert/strict";
import { readMigrations } from "../../cli/migrations/read.ts";
import { frozenFaults, readFrozen } from "../../cli/schema/frozen.ts";
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

      assert.ok(fromMigrations === fromSchemas, `Run \`${await howToWrite()}\``);
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

Deno.test("the baseline is what supabase/schemas generates, until it is frozen", async () => {
  if ((await readFrozen()).size > 0) return;
  const [baseline] = await readMigrations();

  // The header is about the file, not about the schema.
  const body = (text: string) => text.replace(/^(--.*\n)+/, "");
  assert.ok(body(baseline!.text) === body(baselineOf(await readSchema())), `Run \`${await howToWrite()}\``);
});

Deno.test("once the baseline is frozen, so is every migration that follows it, and its text has stayed", async () => {
  const [migrations, frozen] = [await readMigrations(), await readFrozen()];
  if (frozen.size === 0) return;

  assert.deepEqual(frozenFaults(migrations, frozen), []);
  const left = migrations.filter(({ file }) => !frozen.has(file)).map(({ file }) => file);
  assert.deepEqual(left, [], "Run `deno task schema:migration --freeze` when they are as they shall stay");
});

async function howToWrite(): Promise<string> {
  return `deno task schema:migration ${(await readFrozen()).size > 0 ? "NAME" : "--baseline"}`;
}

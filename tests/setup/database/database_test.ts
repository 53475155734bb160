import assert from "node:assert/strict";
import { withBareDatabase, withTestDatabase } from "./database.ts";

Deno.test("withTestDatabase() gives a migrated database", () =>
  withTestDatabase(async ({ sql }) => {
    const [row] = await sql`select to_regclass('outbound.companies') is not null as found`;

    assert.equal(row?.found, true);
  }));

Deno.test("withTestDatabase() gives a fresh state each time", async () => {
  for (const _ of [1, 2]) {
    await withTestDatabase(async ({ sql }) => {
      await sql`create table public.leftover (id int)`;
      const [row] = await sql`select count(*)::int as count from outbound.companies`;
      await sql`insert into outbound.companies (name) values ('Left over')`;

      assert.equal(row?.count, 0);
    });
  }
});

Deno.test("withBareDatabase() gives a database without migrations", () =>
  withBareDatabase(async ({ sql }) => {
    const [row] = await sql`select count(*)::int as count from pg_namespace where nspname = 'outbound'`;

    assert.equal(row?.count, 0);
  }));

Deno.test("withTestDatabase() lets several connections ask at once", () =>
  withTestDatabase(async ({ sql }) => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => sql`select ${n}::int as n`));

    assert.deepEqual(results.map(([row]) => row?.n), Array.from({ length: 20 }, (_, n) => n));
  }));

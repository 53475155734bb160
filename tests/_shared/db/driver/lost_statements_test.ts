import assert from "node:assert/strict";
import { within } from "../../../../cli/service/stopping.ts";
import {
  connect,
  type ConnectOptions,
  jsonParameter,
  type Sql,
} from "../../../../supabase/functions/_shared/db/driver/connect.ts";
import { withTestDatabase } from "../../../setup/database/database.ts";

const CHANGED = "create function pg_temp.changing(p_yes boolean) returns table (yes boolean, more int) " +
  "language sql as 'select p_yes, 1'";

Deno.test("a statement whose result has changed is prepared again, and so are all others", async () => {
  let reports = 0;
  await withOneConnection(async (sql) => {
    await sql.unsafe(CHANGED.replace(", more int", "").replace(", 1", ""));
    const read = async () => ({ ...(await sql`select * from pg_temp.changing(${true}::boolean)`)[0] });
    const before = await read();
    await sql.unsafe(`drop function pg_temp.changing; ${CHANGED}`).simple();

    const after = [await read(), await read()];

    const prepared = await sql`select from pg_prepared_statements where statement like '%changing%'`;
    assert.deepEqual([before, ...after], [{ yes: true }, { yes: true, more: 1 }, { yes: true, more: 1 }]);
    assert.ok(prepared.length > 0);
    assert.equal(reports, 0, "a lost statement was reported");
  }, { onStatementsLost: () => reports++ });
});

/** Calls `fn` with a pool of one connection, whose prepared statements `forget` takes away as a pooler does. */
async function withOneConnection(
  fn: (sql: Sql, forget: (like?: string) => Promise<void>) => Promise<void>,
  options: ConnectOptions = {},
): Promise<void> {
  await withTestDatabase(async ({ url }) => {
    const sql = connect(url, { ...options, max: 1 });
    try {
      await fn(sql, async (like = "%") => {
        const names = await sql.unsafe(
          `select name from pg_prepared_statements where statement like '${like}'`,
        );
        for (const { name } of names) await sql.unsafe(`deallocate "${name}"`);
      });
    } finally {
      await sql.end();
    }
  });
}

Deno.test("a statement that the server forgot is repeated with the same values", () =>
  withOneConnection(async (sql, forget) => {
    const document = { a: [1, "two", null] };
    const read = () =>
      sql`select ${true}::boolean as yes, ${["a", 'b"c']}::text[] as texts, ${
        jsonParameter(sql, document)
      }::jsonb
        as document, ${jsonParameter(sql, "text")}::jsonb as quoted`;
    const first = await read();

    await forget();
    const repeated = await read();

    assert.deepEqual({ ...first[0] }, {
      yes: true,
      texts: ["a", 'b"c'],
      document,
      quoted: "text",
    });
    assert.deepEqual([...repeated], [...first]);
  }));

Deno.test("several statements that the server forgot each get their own rows, at the same time", () =>
  withOneConnection(async (sql, forget) => {
    const run = async (index: number) =>
      (await sql`select ${"value"}::text || ${sql.unsafe(`'-${index}'`)} as value`)[0]!.value;
    const indexes = [0, 1, 2, 3, 4, 5];
    const expected = indexes.map((index) => `value-${index}`);
    for (const index of indexes) await run(index);
    await forget();

    const values = Promise.all(indexes.map(run));

    assert.ok(await within(5000, values), "one gets no rows");
    assert.deepEqual(await values, expected);
  }));

Deno.test("a query after one that fails half-way gets all of its rows, and no holes", () =>
  withOneConnection(async (sql) => {
    await assert.rejects(() => sql`select 1 / (4 - i) from generate_series(1, 10) as i`, { code: "22012" });
    const rows = await sql`select i from generate_series(1, 3) as i`;

    assert.deepEqual([...rows], [{ i: 1 }, { i: 2 }, { i: 3 }]);
  }));

Deno.test("once the server has lost a statement, no more are prepared, and that is logged once", async () => {
  let reports = 0;
  await withOneConnection(async (sql, forget) => {
    const read = async (value: boolean) => (await sql`select ${value}::boolean as value`)[0]!.value;
    await read(true);

    await forget();
    const values = [await read(true), await read(false)];
    await forget();
    values.push(await read(true));

    const prepared = await sql.unsafe("select from pg_prepared_statements");
    assert.deepEqual([values, prepared.length, reports], [[true, false, true], 0, 1]);
  }, { onStatementsLost: () => reports++ });
});

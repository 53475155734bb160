import assert from "node:assert/strict";
import { withPostgresDatabase } from "../setup/postgres_database.ts";
import { skipped } from "../setup/skipped.ts";
import { DUMPED_MAJOR, dumpSchema, SCHEMA_FILE } from "../tools/dump_schema.ts";

Deno.test("tests/fixtures/schema.sql shows the schema the migrations make", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    const [row] = await sql`select current_setting('server_version_num')::int / 10000 as major`;
    if (row?.major !== DUMPED_MAJOR) {
      return skipped("the schema dump", `made with Postgres ${DUMPED_MAJOR}, this is ${row?.major}`);
    }

    const dump = await dumpSchema(Deno.env.get("TEST_POSTGRES_BINARIES") ?? "", url);

    const message = "Out of date: run `deno run -A tests/tools/dump_schema.ts`";
    assert.ok(dump === await Deno.readTextFile(SCHEMA_FILE).catch(() => ""), message);
  }));

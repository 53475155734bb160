import assert from "node:assert/strict";
import postgres from "postgres";
import { connect } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { withTrafficCounter } from "./count_round_trips.ts";

Deno.test("withTrafficCounter() counts what the driver does, and what it prepares anew", () =>
  withPostgresDatabase(({ url }) =>
    withTrafficCounter(url, async (counter) => {
      const sql = connect(counter.url, { max: 1 });
      const ask = () => sql`select repeat('x', ${300_000}::int)`;
      const unprepared = postgres(counter.url, { max: 1, prepare: false, fetch_types: false });
      try {
        assert.deepEqual(await counter.during(ask), { trips: 2, parses: 1 }, "described, then asked");
        assert.deepEqual(await counter.during(ask), { trips: 1, parses: 0 });
        assert.deepEqual(await counter.during(() => Promise.all([ask(), ask(), ask()])), {
          trips: 3,
          parses: 0,
        });
        const transaction = () => sql.begin(async (one) => void await one`select repeat('x', ${7}::int)`);
        await transaction();
        assert.equal((await counter.during(transaction)).trips, 3);
        await unprepared`select 1`;
        assert.equal((await counter.during(() => unprepared`select 1`)).parses, 1);
      } finally {
        await Promise.all([sql.end(), unprepared.end()]);
      }
    })
  ));

import assert from "node:assert/strict";
import { createDatabaseMonitor } from "../../supabase/functions/_shared/db/driver/database_health.ts";
import { createLog } from "../../supabase/functions/_shared/log.ts";
import { withTrafficCounter } from "../round_trips/count_round_trips.ts";
import { eventually } from "../setup/eventually.ts";
import { type TestHttp } from "../setup/http/http.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { withServicesOn } from "../setup/stack/services.ts";

async function untilHealth(http: TestHttp, expected: [number, string, string | undefined]): Promise<void> {
  await eventually(async () => {
    const { status, body } = await http.get("/health");
    assert.deepEqual([status, body.database, body.reason], expected);
  });
}

Deno.test("GET /health responds with 503 while the database takes no writes, and 200 when it does again", () =>
  withPostgresDatabase(({ url, sql }) =>
    withServicesOn(url, async ({ http }) => {
      const name = new URL(url).pathname.slice(1);
      const setReadOnly = async (value: "on" | "off") => {
        await sql.unsafe(`alter database ${name} set default_transaction_read_only = ${value}`);
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = ${name} and application_name = 'outbound'`;
      };
      await untilHealth(http, [200, "ok", undefined]);

      await setReadOnly("on");
      const reason = "The database takes no writes: it is read-only or a replica";
      await untilHealth(http, [503, "read_only", reason]);

      await sql.begin("read write", (writing) =>
        writing.unsafe(`alter database ${name} set default_transaction_read_only = off`));
      await setReadOnly("off").catch(() => {}); // this very connection may be the one that began read-only
      await untilHealth(http, [200, "ok", undefined]);
    })
  ));

Deno.test("GET /health in a loop costs the database one query per second", () =>
  withPostgresDatabase(({ url }) =>
    withTrafficCounter(url, (counter) =>
      withServicesOn(counter.url, async ({ http }) => {
        await http.get("/health");

        const { trips } = await counter.during(async () => {
          for (let turn = 0; turn < 20; turn++) {
            await Promise.all(Array.from({ length: 25 }, () => http.get("/health")));
          }
        });

        assert.ok(trips <= 4, `${trips} round trips for 500 requests`);
      }))
  ));

Deno.test("after a write that failed, the database counts as unusable until another succeeds", () =>
  withPostgresDatabase(({ url }) =>
    withServicesOn(url, async ({ sql }) => {
      const monitor = createDatabaseMonitor(createLog("silent"));
      monitor.record(Object.assign(new Error("could not extend file"), { code: "53100" }));
      await sql`alter table outbound.settings add constraint full_disk check (name not like 'trial:%')`;

      const failing = await monitor.check(sql);
      await sql`alter table outbound.settings drop constraint full_disk`;
      const usable = [await monitor.check(sql), await monitor.check(sql)];

      assert.notEqual(failing.database, "ok");
      assert.deepEqual(usable.map(({ database }) => database), ["ok", "ok"]);
      assert.deepEqual([...await sql`select name from outbound.settings where name like 'trial:%'`], []);
    })
  ));

Deno.test("statements that met the wrong session are a problem by name", () =>
  withPostgresDatabase(({ url }) =>
    withServicesOn(url, async ({ sql }) => {
      const monitor = createDatabaseMonitor(createLog("silent"));
      monitor.record(Object.assign(new Error("prepared statement does not exist"), { code: "26000" }));

      const health = await monitor.check(sql);

      assert.equal(health.database, "failing");
      assert.match(health.reason!, /pooler/);
    })
  ));

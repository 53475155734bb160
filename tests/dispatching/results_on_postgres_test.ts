import assert from "node:assert/strict";
import postgres from "postgres";
import { createServices, type Services } from "../../supabase/functions/_shared/services.ts";
import { collectLog } from "../setup/stack/collect_log.ts";
import { eventually } from "../setup/eventually.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { type Proxy, withProxy } from "./proxy.ts";
import { assertSentOnce } from "./sent_once.ts";
import { type Dispatching, eventuallyAll, withDispatching } from "./with_dispatching.ts";

void withPostgresDatabase; // what follows needs a real server, and a test file that imports this runs on one only

/** Longer than any test: what is lost shows as a message that stays `sending`. */
const LONG = { OUTBOUND_DISPATCH_LEASE_S: "600" };
/** So short that a result which is lost is a message sent twice before the test is over. */
const SHORT = { OUTBOUND_DISPATCH_LEASE_S: "3", OUTBOUND_UNCONFIRMED_WINDOW_S: "5" };

async function withService(t: Dispatching, fn: (services: Services, proxy: Proxy) => Promise<void>) {
  const url = new URL(t.databaseUrl);
  await withProxy(Number(url.port), async (proxy) => {
    url.port = String(proxy.port);
    const services = createServices({ ...t.env, DATABASE_URL: url.href });
    try {
      await fn(services, proxy);
    } finally {
      await services.close();
    }
  });
}

for (
  const [sqlstate, meaning] of [
    ["28P01", "the password was changed"],
    ["53300", "others took all connections"],
    ["XX000", "a pooler lost its server"],
  ] as const
) {
  Deno.test(`results are held while every connection is refused with ${sqlstate}: ${meaning}`, () =>
    withDispatching(async (t) => {
      await t.sandbox.configure({ latency_ms: 200, webhooks: false });
      const queued = await t.enqueue(60);
      const { log, entries } = collectLog();

      await withService(t, (services, proxy) =>
        t.running(async () => {
          await eventually(async () => assert.ok((await t.taken()).size >= 20));
          proxy.refuse(sqlstate);
          try {
            await eventually(() => assert.ok(entries.some(({ code }) => code === sqlstate)));
            await eventually(async () => {
              const messages = await t.sandbox.messages({ limit: "1000" });
              assert.ok(messages.every(({ answered_at }) => answered_at !== null));
            });
          } finally {
            proxy.mend(); // or else the dispatcher would hold its results, and never end
          }
          await eventuallyAll(t, queued, "sent", 20_000);
        }, { ...services, log }));

      await assertSentOnce(t, queued.ids);
    }, LONG));
}

/** Sets a default of the database, for which every client has to connect anew. */
async function setDefault(t: Dispatching, server: postgres.Sql, setting: string, value: string | null) {
  const database = server(new URL(t.databaseUrl).pathname.slice(1));
  if (value === null) await server`alter database ${database} reset ${server(setting)}`;
  else await server`alter database ${database} set ${server(setting)} = ${server.unsafe(`'${value}'`)}`;
  await server`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${new URL(t.databaseUrl).pathname.slice(1)} and pid <> pg_backend_pid()`;
}

/** Holds a lock that recording waits for, for as long as `during` takes. */
async function whileLocked(server: postgres.Sql, during: () => Promise<void>): Promise<void> {
  await server.begin(async (transaction) => {
    await transaction`set local statement_timeout = 0`;
    await transaction`set local lock_timeout = 0`;
    await transaction`select from outbound.campaigns for update`;
    await during();
  });
}

const FAULTS: [setting: string, value: string, sqlstate: string][] = [
  ["default_transaction_read_only", "on", "25006"],
  ["statement_timeout", "300ms", "57014"],
  ["lock_timeout", "300ms", "55P03"],
];

for (const [setting, value, sqlstate] of FAULTS) {
  Deno.test(`${setting} (${sqlstate}) for longer than a lease and its window doubles no message`, () =>
    withDispatching(async (t) => {
      await t.sandbox.configure({ latency_ms: 300, webhooks: false });
      const queued = await t.enqueue(100);
      const server = postgres(t.databaseUrl, { max: 1, onnotice: () => {} });
      const { log, entries } = collectLog();
      const readOnly = sqlstate === "25006";
      try {
        if (!readOnly) await setDefault(t, server, setting, value);
        await t.running(async () => {
          await eventually(async () => assert.ok((await t.taken()).size >= 20));
          const since = performance.now();
          const untilLong = () =>
            eventually(() => {
              assert.ok(
                entries.some(({ message, code }) => code === sqlstate && /results wait/.test(message)),
              );
              assert.ok(performance.now() - since > 9000);
            }, 30_000);
          if (readOnly) {
            await setDefault(t, server, setting, value);
            await untilLong().finally(() => setDefault(t, server, setting, null));
          } else {
            await whileLocked(server, untilLong);
          }
          await eventuallyAll(t, queued, "sent", 40_000);
        }, { ...t.services, log });
      } finally {
        await server.end();
      }

      const taken = await t.taken();
      assert.deepEqual([taken.size, [...taken.values()].filter((times) => times > 1)], [100, []]);
    }, SHORT));
}

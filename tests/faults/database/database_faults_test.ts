import assert from "node:assert/strict";
import { join } from "node:path";
import postgres from "postgres";
import { endedCommand } from "../../cli/service/run_command.ts";
import { TEST_ENV } from "../../setup/stack/services.ts";
import { eventually } from "../../setup/eventually.ts";
import { skipped } from "../../setup/skipped.ts";
import { plainNumber } from "../plain_number.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { underLoad } from "../load.ts";
import { type OwnCluster, withOwnCluster, withPasswordRole } from "./own_cluster.ts";
import { withSmallDisk } from "./small_disk.ts";
import { type FaultEnvironment, withFaults } from "../with_faults.ts";

/** How long each fault lasts: longer than leases and the wait before anything is sent again. */
const FAULT_MS = 5000;

const FULL =
  "the database's disk is full for some seconds: nothing is lost, nothing is sent twice, and /health says so";

Deno.test(FULL, async () => {
  const folder = await Deno.makeTempDir({ prefix: "outbound-test-" });
  try {
    const missing = await withSmallDisk(
      join(folder, "disk"),
      { megabytes: 64 },
      (disk) =>
        withOwnCluster(({ url }) =>
          withFaults((t) =>
            underLoad(t, {
              test: FULL,
              async fault() {
                await disk.fill();
                await untilHealth(t, 503, "disk_full");
                await untilRefused(t);
                await assertRefusesToStart(url);
                await lasting();
                await disk.free();
                await untilHealth(t, 200, "ok");
              },
            }), { databaseUrl: url, ratePerSecond: 400 }), {
          prepare: async ({ url, sql }) => {
            await Deno.chmod(folder, 0o755);
            await sql.unsafe(`create tablespace small location '${disk.folder}'`);
            await sql.unsafe("create database outbound tablespace small");
            return new URL("/outbound", url).href;
          },
        }),
    );
    if (missing) skipped(FULL, missing);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

const LOG_FULL =
  "the disk of the database's log is full, so that the server ends: nothing is lost, nothing is sent twice";

Deno.test(LOG_FULL, async () => {
  const folder = await Deno.makeTempDir({ prefix: "outbound-test-" });
  await Deno.chmod(folder, 0o755);
  try {
    const missing = await withSmallDisk(
      join(folder, "disk"),
      { megabytes: 96 },
      (disk) =>
        withOwnCluster((cluster) =>
          withFaults((t) =>
            underLoad(t, {
              test: LOG_FULL,
              async fault() {
                await disk.fill();
                await untilEnded(cluster);
                await untilHealth(t, 503, "unreachable");
                await disk.free();
                await cluster.restart();
                await untilHealth(t, 200, "ok");
              },
            }), { databaseUrl: cluster.url, ratePerSecond: 400 }), {
          logFolder: join(disk.folder, "log"),
          settings: { min_wal_size: "32MB", max_wal_size: "64MB" },
        }),
    );
    if (missing) skipped(LOG_FULL, missing);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** A server that cannot go on with its log panics, and then cannot start for the same reason. */
async function untilEnded({ url, folder }: OwnCluster): Promise<void> {
  await eventually(async () => {
    await withSuperuser(url, async (sql) => void await sql`select pg_switch_wal()`).catch(() => {});
    await assert.rejects(Deno.stat(join(folder, "data/postmaster.pid")));
  }, 30_000);
}

async function untilHealth({ http }: FaultEnvironment, status: number, database: string): Promise<void> {
  await eventually(async () => {
    const health = await http.get("/health");
    assert.deepEqual([health.status, health.body.database], [status, database]);
  });
}

/** The pages that the disk holds already have room for some more. */
async function untilRefused({ http, key, ...tenant }: FaultEnvironment): Promise<void> {
  const contacts = Array.from({ length: 100 }, (_, index) => ({ number: plainNumber(index), name: "Asha" }));
  const body = notifyBody(tenant, { contact: undefined, contacts });
  await eventually(async () => {
    const answer = await http.post("/notify", body, { query: { access_key: key.key } });
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [500, "5"]);
  });
}

async function assertRefusesToStart(url: string): Promise<void> {
  const ended = await endedCommand("dispatch", { ...TEST_ENV, DATABASE_URL: url });
  const stderr = `The database at ${
    new URL(url).host
  } has a full disk: free some space there, then start again\n`;
  assert.deepEqual(ended, { code: 1, stdout: "", stderr });
}

async function lasting(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, FAULT_MS));
}

const PASSWORD =
  "the password of the database is changed and changed back: results are held, nothing is sent twice";

Deno.test(PASSWORD, () =>
  withOwnCluster(({ url }) =>
    withSuperuser(url, (sql) => {
      const service = new URL(url);
      service.username = "service";
      service.password = "right";
      return withFaults((t) =>
        underLoad(t, {
          test: PASSWORD,
          async fault() {
            await sql.unsafe("alter role service password 'other'");
            await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'service'`;
            await untilHealth(t, 503, "refused");
            await lasting();
            await sql.unsafe("alter role service password 'right'");
          },
        }), { databaseUrl: service.href, ratePerSecond: 400 });
    }), { prepare: withPasswordRole }));

const CROWDED = "others use up all connections of the database: results are held, nothing is sent twice";

Deno.test(CROWDED, () =>
  withOwnCluster(({ url }) =>
    withSuperuser(url, (sql) => {
      const service = new URL(url);
      service.username = "service";
      return withFaults((t) =>
        underLoad(t, {
          test: CROWDED,
          async fault() {
            const others = await takeConnections(url);
            while ((await sql`select from pg_stat_activity where usename = 'service'`).length > 0) {
              await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'service'`;
              others.push(...await takeConnections(url));
            }
            await eventually(async () => assert.equal((await t.http.get("/health")).status, 503));
            await lasting();
            await Promise.all(others.map((other) => other.end({ timeout: 1 })));
          },
        }), { databaseUrl: service.href, ratePerSecond: 400 });
    }), {
    settings: { max_connections: "40" },
    prepare: async ({ url, sql }) => {
      await sql.unsafe("create role service superuser login");
      return url;
    },
  }));

/** Connects until the server has no connection to spare, and keeps them all. */
async function takeConnections(url: string): Promise<postgres.Sql[]> {
  const taken: postgres.Sql[] = [];
  for (;;) {
    const sql = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
    try {
      await sql`select 1`;
      taken.push(sql);
    } catch (error) {
      await sql.end({ timeout: 1 });
      assert.equal((error as { code?: string }).code, "53300");
      return taken;
    }
  }
}

async function withSuperuser(url: string, fn: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  // The driver's own query for types is not awaited: when the server ends under it, that ends the process.
  const sql = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
  try {
    await sql`select 1`;
    await fn(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

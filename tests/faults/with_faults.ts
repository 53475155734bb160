import assert from "node:assert/strict";
import { closeServer } from "../setup/http/close_server.ts";
import { BASE_PATH } from "../setup/http/http.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { TEST_ENV, type TestServices, withServicesOn } from "../setup/stack/services.ts";
import { insertTenant } from "../setup/stack/stack.ts";
import { inTheEnd } from "../setup/eventually.ts";
import { type DispatcherPool, startDispatcherPool } from "./dispatchers/dispatcher_pool.ts";
import { readSendLog, type SendLog } from "./send_log.ts";
import { type RestartablePlatform, withPlatform } from "./platform/restartable_platform.ts";
import { startCounterMonitor } from "./counter_monitor.ts";

/** The service, a platform, and dispatchers in processes of their own, all of which may fail. */
export interface FaultEnvironment extends TestServices, Awaited<ReturnType<typeof insertTenant>> {
  platform: RestartablePlatform;
  /** Where the platform's events come in. */
  webhookUrl: string;
  /** Makes every request from outside return 502, as from a proxy without the API behind it, or ends that. */
  breakApi(isBroken: boolean): void;
  /** Starts dispatchers that end with the test; `change` gives the nth one settings and modules of its own. */
  startDispatchers(count: number, change?: (index: number) => DispatcherChange): DispatcherPool;
  /** Resolves when every notification of the next minutes has come to its end; fails when nothing moves any more. */
  settle(): Promise<void>;
  /** Compares what was accepted with what the platform took. */
  sendLog(): Promise<SendLog>;
  /** The number of attempts with an unknown outcome. */
  unknownAttempts(): Promise<number>;
}

export interface DispatcherChange {
  env?: Record<string, string>;
  preload?: string[];
}

export interface FaultOptions {
  /** A migrated database; one on the test server when absent. */
  databaseUrl?: string;
  /** Settings of the API and the dispatchers that differ from the tests' own. */
  env?: Record<string, string>;
  /** The platform reports what became of its messages. @default true */
  events?: boolean;
  /** Of the sender. */
  ratePerSecond: number;
}

/** Short enough for a test to see several of each. */
export const DISPATCHER_ENV = {
  OUTBOUND_DISPATCH_LEASE_S: "2",
  OUTBOUND_UNCONFIRMED_WINDOW_S: "4",
  OUTBOUND_SEND_TIMEOUT_S: "3",
  OUTBOUND_LOG_LEVEL: "silent",
};

/**
 * Calls `fn` with an environment in which a company may send. Meanwhile a monitor checks the conservation law on the
 * counters of every campaign.
 */
export async function withFaults(
  fn: (t: FaultEnvironment) => Promise<void>,
  options: FaultOptions,
): Promise<void> {
  if (options.databaseUrl !== undefined) return await inEnvironment(options.databaseUrl, fn, options);
  await withPostgresDatabase(({ url }) => inEnvironment(url, fn, options));
}

async function inEnvironment(
  databaseUrl: string,
  fn: (t: FaultEnvironment) => Promise<void>,
  options: FaultOptions,
): Promise<void> {
  await withPlatform(TEST_ENV.WHATSAPP_APP_SECRET, async (platform) => {
    await withServicesOn(databaseUrl, async (services) => {
      await serving(services, async (url, breakApi) => {
        const webhookUrl = `${url}${BASE_PATH}/webhooks/whatsapp`;
        await platform.configure({
          ...{ sent_ms: 20, delivered_ms: 40, read_ms: 60, rate_per_second: 0, webhook_retry_ms: 50 },
          webhook_url: webhookUrl,
          webhooks: options.events ?? true,
        });
        const tenant = await insertTenant(services, platform);
        await services.sql`update outbound.senders set rate_per_second = ${options.ratePerSecond}`;
        await services.sql`update outbound.api_keys set rate_limit = 1000000, daily_quota = 10000000`;
        const base = { ...services, ...tenant, platform, webhookUrl, breakApi };
        await watched(base, { OUTBOUND_PUBLIC_URL: url, ...options.env }, fn);
      });
    }, { env: options.env ?? {} });
  });
}

/** The API on a socket: the platform's events and the dispatchers' probes come in there. */
async function serving(
  { app }: TestServices,
  fn: (url: string, breakApi: FaultEnvironment["breakApi"]) => Promise<void>,
): Promise<void> {
  let isBroken = false;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request, info) => isBroken ? new Response("Bad gateway", { status: 502 }) : app.fetch(request, info),
  );
  try {
    await fn(`http://127.0.0.1:${server.addr.port}`, (broken) => void (isBroken = broken));
  } finally {
    await closeServer(server);
  }
}

type Base = Omit<FaultEnvironment, "startDispatchers" | "settle" | "sendLog" | "unknownAttempts">;

async function watched(
  base: Base,
  env: Record<string, string>,
  fn: (t: FaultEnvironment) => Promise<void>,
): Promise<void> {
  const { sql, platform, databaseUrl } = base;
  const pools: DispatcherPool[] = [];
  const monitor = startCounterMonitor(databaseUrl);
  const settings = {
    ...TEST_ENV,
    ...DISPATCHER_ENV,
    DATABASE_URL: databaseUrl,
    WHATSAPP_API_URL: platform.url,
    ...env,
  };
  try {
    await fn({
      ...base,
      startDispatchers(count, change = () => ({})) {
        const pool = startDispatcherPool(Array.from({ length: count }, (_, index) => {
          const { env: own, preload = [] } = change(index);
          return { env: { ...settings, ...own }, preload };
        }));
        pools.push(pool);
        return pool;
      },
      settle: () => untilOver(sql),
      sendLog: async () => await readSendLog(sql, await platform.allMessages()),
      unknownAttempts: async () => {
        const [row] = await sql<{ count: number }[]>`
          select count(*)::int from outbound.delivery_attempts where outcome = 'unknown'`;
        return row!.count;
      },
    });
  } finally {
    await Promise.all(pools.map((pool) => pool.kill()));
    await platform.configure({ webhooks: false }).catch(() => {}); // it may be down
    await monitor.stop();
  }
}

/** Resolves when every notification of the next minutes in a database has come to its end. */
export async function untilOver(sql: FaultEnvironment["sql"]): Promise<void> {
  await inTheEnd(() => assertOver(sql));
}

async function assertOver(sql: FaultEnvironment["sql"]): Promise<void> {
  const open = await sql`
    select status, count(*)::int, max(attempt) as attempt, min(run_at) as due
    from outbound.notifications
    where status in ('scheduled', 'queued', 'sending', 'unconfirmed') and run_at < now() + interval '10 minutes'
    group by status`;
  assert.deepEqual([...open], []);
}

import { join } from "node:path";
import type postgres from "postgres";
import { ORDER_COMPONENTS } from "../../tests/setup/fixtures/fixtures.ts";
import { sandboxControls, type TestSandbox } from "../../tests/setup/stack/sandbox.ts";
import type { DatabaseServer } from "../setup/database_server.ts";
import { logIn, startStandIns } from "../setup/log_in.ts";
import { type BenchProcess, freePort } from "../setup/processes.ts";
import { startDispatcher, startService } from "../setup/service.ts";
import { addTenant, migrate, type Tenant } from "../setup/tenants.ts";

/** Everything that a soak runs: the service, two more dispatchers, and what surrounds them. */
export interface SoakStack {
  sql: postgres.Sql;
  baseUrl: string;
  metricsUrl: string;
  platform: TestSandbox;
  tenants: Tenant[];
  /** Access tokens of members of every company. */
  tokens: string[];
  /** Process ids by what runs there. */
  pids(): Promise<Record<ProcessName, number>>;
  /** Ends one of the dispatchers by SIGKILL, and starts another. */
  replaceDispatcher(): Promise<void>;
  stop(): Promise<void>;
}

/** The processes whose memory is watched. */
export const PROCESS_NAMES = ["serve", "dispatcher", "killed dispatcher", "postgres"] as const;
export type ProcessName = typeof PROCESS_NAMES[number];

const COMPANIES = 10;
/** They share the consoles: a member may have 20 in a company. */
const USERS = 5;
/** The platform's own limit for a number. */
const RATE_PER_SECOND = 80;
const DATABASE = "soak";

/** Starts the service as `deno task serve` and `deno task dispatch` run it, with the simulated platform at its usual pace. */
export async function startSoakStack(server: DatabaseServer, folder: string): Promise<SoakStack> {
  const databaseUrl = await server.create(DATABASE);
  const sql = await migrate(databaseUrl);
  const standIns = await startStandIns(databaseUrl);
  const metricsPort = freePort();
  const service = await startService(databaseUrl, standIns.platformUrl, {
    ...standIns.settings,
    OUTBOUND_METRICS_PORT: String(metricsPort),
  });
  const settings = { OUTBOUND_PUBLIC_URL: service.baseUrl.replace("/functions/v1", "") };
  const dispatcher = await startDispatcher(databaseUrl, standIns.platformUrl, { settings });
  let killed = await startDispatcher(databaseUrl, standIns.platformUrl, { settings });
  const platform = sandboxControls(standIns.platformUrl);
  await platform.configure({ webhook_url: `${service.baseUrl}/webhooks/whatsapp` });
  const tenants = await addTenants(sql, platform);
  return {
    sql,
    baseUrl: service.baseUrl,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    platform,
    tenants,
    tokens: await logIn(sql, service.baseUrl, standIns, { users: USERS, tenants }),
    pids: async () => ({
      serve: service.pid,
      dispatcher: dispatcher.pid,
      "killed dispatcher": killed.pid,
      postgres: await postmasterOf(folder),
    }),
    async replaceDispatcher() {
      await killed.stop("SIGKILL");
      killed = await startDispatcher(databaseUrl, standIns.platformUrl, { settings });
    },
    async stop() {
      await stopAll([service, dispatcher, killed, standIns]);
      await sql.end({ timeout: 5 });
    },
  };
}

async function addTenants(sql: postgres.Sql, platform: TestSandbox): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for (let index = 0; index < COMPANIES; index++) {
    const tenant = await addTenant(sql, { ratePerSecond: RATE_PER_SECOND });
    const { name, language } = tenant.template;
    await platform.addAccount(tenant.sender, [
      { name, language, category: "UTILITY", status: "APPROVED", components: ORDER_COMPONENTS },
    ]);
    tenants.push(tenant);
  }
  return tenants;
}

async function postmasterOf(folder: string): Promise<number> {
  const file = await Deno.readTextFile(join(folder, "pg/data/postmaster.pid"));
  return Number(file.split("\n")[0]);
}

async function stopAll(processes: BenchProcess[]): Promise<void> {
  for (const each of processes) await each.stop();
}

import postgres from "postgres";
import { applyMigrations } from "../../../cli/migrations/apply.ts";
import { numberCell } from "../../../supabase/functions/_shared/db/queue/cell.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import { closeServer } from "../../setup/http/close_server.ts";
import { BASE_PATH } from "../../setup/http/http.ts";
import { type TestLogin, withLogin } from "../../setup/stack/login.ts";
import { type TestSandbox, withSandbox } from "../../setup/stack/sandbox.ts";
import { TEST_ENV } from "../../setup/stack/services.ts";
import { withOwnCluster } from "./own_cluster.ts";

/** The service with cells 0 to 3: databases 0 and 1 on one server, 2 and 3 on another. */
export interface FourCells extends TestLogin {
  sandbox: TestSandbox;
  /** The settings that lead another process to the four databases. */
  databases: { DATABASE_URL: string; DATABASE_URLS: string };
  /** Refuses connections to the database of cell 3, and ends those there are; or admits them again. */
  admitToLast(isAdmitted: boolean): Promise<void>;
}

/** Calls `fn` with four cells, an auth server, and a platform that reports to the service. */
export async function withFourCells(fn: (t: FourCells) => Promise<void>): Promise<void> {
  await withPostgresDatabase((one) =>
    withOwnCluster(async ({ url: two }) => {
      const server = postgres(two, { max: 1, onnotice: () => {} });
      try {
        await server.unsafe("create database third");
        const three = Object.assign(new URL(two), { pathname: "/third" }).href;
        const urls = [one.url, two, three];
        for (const [index, url] of urls.entries()) await prepare(url, index + 1);
        const DATABASE_URLS = urls.map((url, index) => `${index + 1}=${url}`).join(" ");
        const admitToLast = async (isAdmitted: boolean) => {
          await server.unsafe(`alter database third allow_connections ${isAdmitted}`);
          await server`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = 'third'`;
        };
        await serving(DATABASE_URLS, (t) => fn({ ...t, admitToLast }));
      } finally {
        await server.end({ timeout: 5 });
      }
    })
  );
}

async function prepare(url: string, cell: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await applyMigrations(sql);
    await numberCell(sql, cell);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function serving(
  DATABASE_URLS: string,
  fn: (t: Omit<FourCells, "admitToLast">) => Promise<void>,
): Promise<void> {
  await withSandbox(TEST_ENV.WHATSAPP_APP_SECRET, (sandbox) =>
    withLogin(async (t) => {
      const server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        (request, info) => t.app.fetch(request, info),
      );
      try {
        const url = `http://127.0.0.1:${server.addr.port}`;
        await sandbox.configure({ webhook_url: `${url}${BASE_PATH}/webhooks/whatsapp` });
        await fn({ ...t, sandbox, databases: { DATABASE_URL: t.databaseUrl, DATABASE_URLS } });
      } finally {
        await sandbox.configure({ webhooks: false });
        await closeServer(server);
      }
    }, { env: { WHATSAPP_API_URL: sandbox.url, DATABASE_URLS } }));
}

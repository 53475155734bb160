/**
 * The thread that runs the embedded database, so that a long statement never delays the API.
 *
 * @module
 */
import { PGlite } from "@electric-sql/pglite";
import { CONFIG, type PgliteServer, servePglite } from "./serve_pglite.ts";
import type { Session } from "./session.ts";

/** The interval of the work that the missing autovacuum and checkpoint processes would do. */
const MAINTENANCE_MS = 5 * 60_000;
const CHANGED_TABLES = `
  select string_agg(s.relid::regclass::text, ', ') as tables from pg_stat_user_tables as s
  where s.n_mod_since_analyze > 0 or s.n_dead_tup > 0`;

const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
  close(): void;
};

let close: (() => Promise<void>) | undefined;

scope.onmessage = async ({ data }) => {
  try {
    if (data.type === "open") await open(data);
    else await shutDown();
  } catch (error) {
    fail(error);
  }
};

async function open(options: Extract<ToWorker, { type: "open" }>): Promise<void> {
  const database = await PGlite.create({ dataDir: options.directory, postgresqlconf: CONFIG });
  const server = servePglite(database, {
    port: options.port,
    onBroken: fail,
    ...(options.password === undefined ? {} : { password: options.password }),
  });
  const timer = setInterval(() => maintain(database, server.session).catch(fail), MAINTENANCE_MS);
  close = () => shut(server, database, timer);
  scope.postMessage({ type: "open", port: server.port });
}

async function shutDown(): Promise<void> {
  await close?.();
  scope.postMessage({ type: "closed" });
  scope.close();
}

async function shut(
  server: PgliteServer,
  database: PGlite,
  timer: ReturnType<typeof setInterval>,
): Promise<void> {
  clearInterval(timer);
  await server.close();
  await database.close();
}

/** Only tables in which something changed: to analyze all of them takes a third of a second of a processor. */
async function maintain(database: PGlite, session: Session): Promise<void> {
  const unlock = await session.mutex.lock();
  try {
    const { rows } = await database.query<{ tables: string | null }>(CHANGED_TABLES);
    if (rows[0]!.tables === null) return;
    await session.query(`vacuum (analyze) ${rows[0]!.tables}`);
    await session.query("checkpoint");
  } finally {
    unlock();
  }
}

function fail(error: unknown): void {
  const { message, code } = error as { message?: string; code?: string };
  scope.postMessage({ type: "failed", message: String(message ?? error), code });
}

/** Messages to the worker. */
export type ToWorker =
  | { type: "open"; directory: string; port: number; password: string | undefined }
  | { type: "close" };

/** Messages from the worker. */
export type FromWorker =
  | { type: "open"; port: number }
  /** The worker has stopped. `code` is `EADDRINUSE` when the port was in use. */
  | { type: "failed"; message: string; code: string | undefined }
  | { type: "closed" };

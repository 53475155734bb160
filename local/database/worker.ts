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
  const timer = setInterval(() => maintain(server.session).catch(fail), MAINTENANCE_MS);
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

async function maintain(session: Session): Promise<void> {
  if (!session.takeActivity()) return;
  const unlock = await session.mutex.lock();
  try {
    await session.query("vacuum (analyze)");
    await session.query("checkpoint");
    session.takeActivity();
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

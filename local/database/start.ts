import { dirname } from "node:path";
import { lockFile } from "../lock_file.ts";
import { createDatabase } from "./create.ts";
import type { FromWorker, ToWorker } from "./worker.ts";

export interface StartDatabaseOptions {
  /** The folder of the data; made if missing. */
  directory: string;
  /** On 127.0.0.1; 0 = any free port. */
  port: number;
  /** The password of clients, in clear text over the loopback interface. Absent = every local user may connect. */
  password?: string;
  /** Called if the database stops by itself after it was started. */
  onBroken?: (error: Error) => void;
  /**
   * Called, perhaps twice, when another thread or process is at work, so that what blocks this one, such as an import,
   * no longer delays it.
   */
  onUnderWay?: () => void;
}

export interface Database {
  /** `postgres://…`, password included. */
  url: string;
  close(): Promise<void>;
}

/**
 * Starts a Postgres on this machine out of nothing but npm: PGlite in a thread of its own, speaking the Postgres
 * protocol.
 *
 * The operating system has a transaction before its commit returns, so it survives any end of this
 * process, SIGKILL included. PGlite does not wait for the disk (fsync is off): a power cut can lose the last
 * transactions or damage the data. Use a real Postgres through DATABASE_URL for data that must not be lost.
 *
 * @throws Deno.errors.AddrInUse when the port is in use, Deno.errors.Busy when another process has the directory open
 */
export async function startDatabase(options: StartDatabaseOptions): Promise<Database> {
  await Deno.mkdir(dirname(options.directory), { recursive: true, mode: 0o700 });
  const lock = await lockFile(`${options.directory}.lock`);
  if (!lock) throw new Deno.errors.Busy(`${options.directory} is open in another process`);
  try {
    await createDatabase(options.directory, options.onUnderWay);
    const { port, close } = await startWorker(options);
    const user = options.password === undefined ? "postgres" : `postgres:${options.password}`;
    return {
      url: `postgres://${user}@127.0.0.1:${port}/postgres?sslmode=disable`,
      close: async () => {
        await close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startWorker(
  { directory, port, password, onBroken, onUnderWay }: StartDatabaseOptions,
): Promise<{ port: number; close(): Promise<void> }> {
  const worker = new Worker(import.meta.resolve("./worker.ts"), { type: "module" });
  const opened = Promise.withResolvers<number>();
  const closed = Promise.withResolvers<void>();
  const fail = (error: Error) => {
    opened.reject(error);
    closed.resolve();
    onBroken?.(error);
  };
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.type === "open") opened.resolve(data.port);
    else if (data.type === "closed") closed.resolve();
    else fail(toError(data));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    fail(new Error(event.message));
  };
  const post = (message: ToWorker) => worker.postMessage(message);

  post({ type: "open", directory, port, password });
  onUnderWay?.();
  try {
    return {
      port: await opened.promise,
      close: async () => {
        onBroken = undefined;
        post({ type: "close" });
        await closed.promise;
        worker.terminate();
      },
    };
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

function toError({ message, code }: { message: string; code: string | undefined }): Error {
  if (code === "EADDRINUSE") return new Deno.errors.AddrInUse(message);
  return new Error(`The embedded database stopped: ${message}`);
}

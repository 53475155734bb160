import { join } from "node:path";
import postgres from "postgres";
import { applyMigrations } from "../../cli/migrations/apply.ts";
import { crashCluster, startCluster, stopCluster } from "../tools/postgres_cluster.ts";

/** A database server of one test's own, so that what it suffers hurts nobody else. */
export interface OwnCluster {
  /** Of a migrated database. */
  url: string;
  /** Ends the server at once, without a checkpoint, and starts it again. */
  crash(): Promise<void>;
}

/** Calls `fn` with a server that keeps what was committed when it crashes. */
export async function withOwnCluster(fn: (cluster: OwnCluster) => Promise<void>): Promise<void> {
  const folder = join(setting("TEST_RUN_FOLDER"), `own-${crypto.randomUUID().slice(0, 8)}`);
  const binaries = { folder: setting("TEST_POSTGRES_BINARIES"), hasCron: false };
  try {
    const url = await startCluster(binaries, folder, { durable: true });
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    await applyMigrations(sql).finally(() => sql.end());
    await fn({ url, crash: () => crashCluster(folder) });
  } finally {
    await stopCluster(folder);
  }
}

function setting(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error('No test server: run this file with "deno task test <file>"');
  return value;
}

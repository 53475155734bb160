import assert from "node:assert/strict";
import { join } from "node:path";
import postgres from "postgres";
import { eventually } from "../../setup/eventually.ts";
import { stopCluster } from "../../setup/database/postgres_cluster.ts";
import { promoteReplica, startReplica } from "./postgres_replica.ts";
import { clusterSettings, programIsMissing, withOwnCluster } from "./own_cluster.ts";

/** A database server with a replica that can take its place. */
export interface ReplicatedCluster {
  /** Of a migrated database on the primary. */
  url: string;
  /** Keeps what is written from now on from the replica, as a slow network would. */
  cutReplication(): Promise<void>;
  /** Ends the primary without a goodbye and makes the replica the primary. Returns its URL. */
  failOver(): Promise<string>;
}

/**
 * Calls `fn` with a primary and a streaming replica; without `pg_basebackup` the test is skipped.
 *
 * @param synchronous a commit waits for the replica
 */
export async function withReplicatedCluster(
  { test, synchronous }: { test: string; synchronous: boolean },
  fn: (cluster: ReplicatedCluster) => Promise<void>,
): Promise<void> {
  if (programIsMissing(test, "pg_basebackup")) return;
  const { runFolder, binaries } = clusterSettings();
  const folder = join(runFolder, `own-${crypto.randomUUID().slice(0, 8)}`);
  await withOwnCluster(async ({ url, folder: primary }) => {
    try {
      const replica = await startReplica(binaries, folder, { primaryUrl: url, name: "replica" });
      await whenReplicating(url, synchronous);
      await fn({
        url,
        cutReplication: () => change(replica, "alter system set primary_conninfo = ''"),
        async failOver() {
          await stopCluster(primary);
          await promoteReplica(folder);
          return replica;
        },
      });
    } finally {
      await stopCluster(folder);
    }
  });
}

async function whenReplicating(url: string, synchronous: boolean): Promise<void> {
  if (synchronous) await change(url, "alter system set synchronous_standby_names = 'replica'");
  const sql = postgres(url, { max: 1 });
  try {
    await eventually(async () => {
      const rows = await sql`select state, sync_state from pg_stat_replication`;
      assert.deepEqual([...rows], [{ state: "streaming", sync_state: synchronous ? "sync" : "async" }]);
    });
  } finally {
    await sql.end();
  }
}

async function change(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  try {
    await sql.unsafe(statement);
    await sql`select pg_reload_conf()`;
  } finally {
    await sql.end();
  }
}

import assert from "node:assert/strict";
import { join } from "node:path";
import postgres from "postgres";
import { applyMigrations } from "../../cli/migrations/apply.ts";
// Has this file run where there is a Postgres only.
import "../setup/database/postgres_database.ts";
import { skipped } from "../setup/skipped.ts";
import { findAllPostgres, type PostgresBinaries } from "../setup/database/postgres_binaries.ts";
import { initCluster, runAsServer, startCluster, stopCluster } from "../setup/database/postgres_cluster.ts";

interface Upgrade {
  from: PostgresBinaries;
  to: PostgresBinaries;
}

/** From the oldest to the newest Postgres of this machine; where there is one only, pg_upgrade takes it for both. */
async function findUpgrade(): Promise<Upgrade | undefined> {
  const servers: PostgresBinaries[] = [];
  for (const server of await findAllPostgres()) {
    const hasUpgrade = await Deno.stat(join(server.folder, "pg_upgrade")).then(() => true, () => false);
    if (hasUpgrade) servers.push(server);
  }
  servers.sort((a, b) => a.major - b.major);
  const [from, to] = [servers[0], servers.at(-1)];
  return from && to && { from, to };
}

/** Fails with what pg_upgrade has to say against the cluster whose server is running. */
async function check({ from, to }: Upgrade, url: string, folder: string): Promise<void> {
  const next = join(folder, `next-${crypto.randomUUID().slice(0, 8)}`);
  // From 18 on a cluster has checksums by default, and pg_upgrade wants both clusters to agree.
  const data = await initCluster(to, next, from.major < 18 && to.major >= 18 ? ["--no-data-checksums"] : []);
  const { port } = new URL(url);
  await runAsServer(to.folder, "pg_upgrade", [
    "--check",
    ...["--old-datadir", join(folder, "data"), "--new-datadir", data],
    ...["--old-bindir", from.folder, "--new-bindir", to.folder],
    ...["--old-port", port, "--new-port", String(Number(port) === 50432 ? 50433 : 50432)],
    ...["--username", "postgres", "--socketdir", next],
  ], { cwd: next });
}

Deno.test("pg_upgrade --check finds nothing against the schema, and would if there were", async () => {
  const upgrade = await findUpgrade();
  if (!upgrade) return skipped("pg_upgrade --check", "no pg_upgrade found");
  // Not in the run's folder, whose path may be too long for a socket.
  const parent = await Deno.makeTempDir({ prefix: "upgrade-" });
  await Deno.chmod(parent, 0o755);
  const folder = join(parent, "old");
  try {
    const url = await startCluster({ ...upgrade.from, hasCron: false }, folder);
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      await applyMigrations(sql);
      await check(upgrade, url, folder);

      await sql`create table public.broken (configuration regconfig)`;
      await assert.rejects(check(upgrade, url, folder), /reg\*/);
    } finally {
      await sql.end({ timeout: 5 });
    }
  } finally {
    await stopCluster(folder);
    await Deno.remove(parent, { recursive: true });
  }
});

import assert from "node:assert/strict";
import { join } from "node:path";
import postgres from "postgres";
import { claimReplies } from "../../supabase/functions/_shared/db/contacts/replies.ts";
import { tick } from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { claimDeliveries } from "../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import { runAdmin } from "../cli/run_admin.ts";
import { clusterSettings, programIsMissing } from "../faults/database/own_cluster.ts";
import { databaseUrl, onServer } from "../setup/database/postgres.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { claim, enqueue, insertSendingCompany, statusesOf } from "../setup/fixtures/queue.ts";
import { withTempFolder } from "../setup/temp_folder.ts";

/** The ways to make a database of another one, by mistake or on purpose. Nothing uses the original meanwhile. */
const COPIES: Record<string, (original: string, copy: string) => Promise<void>> = {
  "made from a template": async (original, copy) => {
    await onServer((sql) => sql`create database ${sql(copy)} template ${sql(original)}`);
  },
  "restored from a dump": async (original, copy) => {
    await onServer((sql) => sql`create database ${sql(copy)} template template0`);
    await withTempFolder(async (folder) => {
      const dump = join(folder, "dump");
      await run("pg_dump", ["--format=custom", "--file", dump, databaseUrl(original)]);
      await run("pg_restore", ["--dbname", databaseUrl(copy), dump]);
    });
  },
};

async function run(program: string, args: string[]): Promise<void> {
  const command = join(clusterSettings().binaries.folder, program);
  const { success, stderr } = await new Deno.Command(command, { args, stdin: "null" }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** Calls `fn` with a copy of `original`, to which no connection is open. */
async function withCopy(
  original: string,
  make: (original: string, copy: string) => Promise<void>,
  fn: (sql: postgres.Sql, url: string) => Promise<void>,
): Promise<void> {
  const copy = `copy_${crypto.randomUUID().replaceAll("-", "")}`;
  await make(original, copy);
  const url = databaseUrl(copy);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await fn(sql, url);
  } finally {
    await sql.end({ timeout: 5 });
    await onServer((server) => server`drop database ${server(copy)} with (force)`);
  }
}

for (const [how, make] of Object.entries(COPIES)) {
  Deno.test(`a database that was ${how} sends nothing until it is activated`, async () => {
    if (how.includes("dump") && programIsMissing(`a database ${how}`, "pg_dump")) return;
    await withPostgresDatabase(async ({ sql, url }) => {
      const company = await insertSendingCompany(sql);
      const { ids } = await enqueue(sql, company, { count: 3 });
      await sql.end();

      await withCopy(new URL(url).pathname.slice(1), make, async (copy, copyUrl) => {
        const options = { env: { DATABASE_URL: copyUrl } };
        const some = { worker: "worker", limit: 10, leaseS: 60 };
        assert.deepEqual(await claim(copy), []);
        assert.deepEqual([...await claimReplies(copy, some)], []);
        assert.deepEqual([...await claimDeliveries(copy, { ...some, maxFailing: 1 })], []);
        assert.equal(await tick(copy, { windowS: 120 }), null);
        const [asked] = await copy`
          select outbound.open_chores() as chores, outbound.next_due() as due, outbound.clean_up() as cleaned`;
        assert.deepEqual(asked, { chores: ["tick"], due: null, cleaned: { more: false } });
        assert.equal((await runAdmin(["cell", "status", "--json"], options)).json.state, "copy");

        const asking = await runAdmin(["cell", "activate"], options);
        assert.equal(asking.code, 1);
        assert.match(asking.stderr, /3 messages are due .*people get twice\. .*add --yes/);
        assert.deepEqual(await claim(copy), []);

        assert.equal((await runAdmin(["cell", "activate", "--yes", "--json"], options)).json.state, "active");
        assert.equal((await claim(copy)).length, 3);
        assert.deepEqual(await statusesOf(copy, ids), Array(3).fill("sending"));
      });
    });
  });
}

Deno.test("a database that is set to standby sends nothing", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    await enqueue(sql, await insertSendingCompany(sql), { count: 2 });
    await sql`update outbound.cell set state = 'standby'`;

    assert.deepEqual(await claim(sql), []);
    const { stdout } = await runAdmin(["cell", "status"], { env: { DATABASE_URL: url } });
    assert.match(stdout, /standby.*\n[\s\S]*sends nothing until/);

    await runAdmin(["cell", "activate", "--yes"], { env: { DATABASE_URL: url } });
    assert.equal((await claim(sql)).length, 2);
  }));

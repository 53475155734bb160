import assert from "node:assert/strict";
import postgres from "postgres";
import { blocksOf, readPage } from "../docs/read_page.ts";
import { withOwnCluster } from "../faults/database/own_cluster.ts";
import { eventually } from "../setup/eventually.ts";
// Has this file run where there is a Postgres only: it takes two servers.
import "../setup/database/postgres_database.ts";
import {
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  report,
  statesOf,
} from "../setup/fixtures/queue.ts";

/** Returns the statements of docs/operations.md, "Move to another server", in order. */
async function documentedStatements(): Promise<string[]> {
  const [, section] = (await readPage("docs/operations.md")).split("### Move to another server\n");
  return blocksOf(section!.split("\n### ")[0]!).map(({ lines }) => lines.join("\n"));
}

async function withTwoServers(fn: (old: postgres.Sql, fresh: postgres.Sql, oldUrl: URL) => Promise<void>) {
  await withOwnCluster(({ url: oldUrl }) =>
    withOwnCluster(async ({ url }) => {
      const [old, fresh] = [oldUrl, url].map((each) => postgres(each, { max: 2, onnotice: () => {} })) as [
        postgres.Sql,
        postgres.Sql,
      ];
      try {
        await fn(old, fresh, new URL(oldUrl));
      } finally {
        await Promise.all([old.end({ timeout: 5 }), fresh.end({ timeout: 5 })]);
      }
    }), { settings: { wal_level: "logical" } });
}

/** Every row of every table, as one hash per table. */
async function contents(sql: postgres.Sql): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'outbound'::regnamespace and relkind = 'r' order by 1`;
  const found = await Promise.all(tables.map(async ({ name }) => {
    const [row] = await sql`
      select md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as hash from ${
      sql(`outbound.${name}`)
    } as t`;
    return [name, row!.hash];
  }));
  return Object.fromEntries(found);
}

Deno.test("an installation moves to another server by logical replication, as documented", () =>
  withTwoServers(async (old, fresh, { hostname, port, username, pathname }) => {
    const [clear, publish, subscribe, uncopied, sequences, end] = await documentedStatements();
    const company = await insertSendingCompany(old);
    const { ids } = await enqueue(old, company, { count: 20 });
    await finish(old, await claim(old, { limit: 10 }), { outcome: "sent" });
    await report(old, [eventOf(company.id, ids[0]!, "failed")]);

    await fresh.unsafe(clear!);
    await old.unsafe(publish!);
    const address = `host=${hostname} port=${port} user=${username} dbname=${pathname.slice(1)}`;
    await fresh.unsafe(subscribe!.replace(/'[^']*'/, `'${address}'`));
    await eventually(
      async () => assert.deepEqual([...await fresh.unsafe(uncopied!)], [{ count: "0" }]),
      60_000,
    );
    await finish(old, await claim(old, { limit: 10 }), { outcome: "failed" });
    await report(old, [eventOf(company.id, ids[1]!, "read")]);
    await old`select outbound.tick()`;
    await eventually(async () => assert.deepEqual(await contents(fresh), await contents(old)), 60_000);

    for (const { format } of await old.unsafe(sequences!)) await fresh.unsafe(format);
    await fresh.unsafe(end!);
    assert.equal(await report(fresh, [eventOf(company.id, ids[2]!, "failed")]), 1);
    assert.equal((await statesOf(fresh, [ids[2]!]))[0]!.status, "failed");
    const last = `select sequencename, last_value from pg_sequences where last_value is not null order by 1`;
    const [[before], [after]] = [await old.unsafe(last), await fresh.unsafe(last)];
    assert.ok(Number(after!.last_value) > Number(before!.last_value), JSON.stringify([before, after]));
  }));

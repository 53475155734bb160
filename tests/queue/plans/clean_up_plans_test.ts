import assert from "node:assert/strict";
import type postgres from "postgres";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { withMeasuredDatabase, withoutSnapshots } from "../../setup/database/postgres_database.ts";
import { faultsOf, plansOf } from "./read_plans.ts";

const ROWS = 60_000;
const ROUNDS = 10;
const OLD = 1000;

/** A kind of which there is much: how rows of a day are made, and when the day is over. */
interface Kind {
  table: string;
  time: string;
  keptDays: number;
  insert(
    sql: postgres.Sql,
    companyId: string,
    at: { from: number; to: number; rows: number },
  ): Promise<unknown>;
}

/** Times spread evenly, in days from now. */
const KINDS: Kind[] = [
  {
    table: "delivery_attempts",
    time: "finished_at",
    keptDays: 90,
    insert: (sql, companyId, { from, to, rows }) =>
      sql`insert into outbound.delivery_attempts (company_id, notification_id, attempt, fence, worker, started_at,
          finished_at, outcome)
        select ${companyId}, gen_random_uuid(), 1, 1, 'w', at, at, 'sent'
        from generate_series(1, ${rows}) as n,
          lateral (select now() + make_interval(secs => 86400 * (${from}::float8
            + n * (${to}::float8 - ${from}::float8) / ${rows})) as at) as t`,
  },
  {
    table: "outgoing_events",
    time: "created_at",
    keptDays: 30,
    insert: (sql, companyId, { from, to, rows }) =>
      sql`with event as (
          insert into outbound.outgoing_events (company_id, type, payload, created_at)
          select ${companyId}, 'notification.sent', '{}', at
          from generate_series(1, ${rows}) as n,
            lateral (select now() + make_interval(secs => 86400 * (${from}::float8
              + n * (${to}::float8 - ${from}::float8) / ${rows})) as at) as t
          returning company_id, id, created_at
        )
        insert into outbound.webhook_deliveries (company_id, event_id, status, finished_at)
        select company_id, id, 'succeeded', created_at from event`,
  },
];

/**
 * Fills a table, then lets it turn over several times: in each round the oldest rows go, vacuum gives their pages back,
 * and new rows take them. All of it is younger than the kind is kept, but for the last `OLD` rows.
 */
async function fillAndTurnOver(sql: postgres.Sql, kind: Kind, companyId: string): Promise<void> {
  const table = sql(kind.table);
  const time = sql(kind.time);
  const round = ROWS / ROUNDS;
  const days = (index: number) => -kind.keptDays + 2 + index * (kind.keptDays - 3) / (2 * ROUNDS);
  for (let index = 0; index < 2 * ROUNDS; index++) {
    if (index >= ROUNDS) {
      await sql`delete from outbound.${table} where ${time} in (
        select ${time} from outbound.${table} order by ${time} limit ${round})`;
      for (const each of [kind.table, "webhook_deliveries"]) await sql`vacuum outbound.${sql(each)}`;
    }
    await kind.insert(sql, companyId, { from: days(index), to: days(index + 1), rows: round });
  }
  await kind.insert(sql, companyId, { from: -kind.keptDays - 2, to: -kind.keptDays - 1, rows: OLD });
}

/** Pages a call touches, in memory or not, by all statements inside it; not what it takes to plan them the first time. */
async function pagesOf(sql: postgres.Sql, limit: number): Promise<number> {
  const one = await sql.reserve();
  try {
    await withoutSnapshots(sql);
    await one`select outbound.clean_up(${limit}::int)`;
    const [row] = await one`explain (analyze, buffers, format json) select outbound.clean_up(${limit}::int)`;
    const { Plan: plan } = (row!["QUERY PLAN"] as { Plan: Record<string, number> }[])[0]!;
    return plan["Shared Hit Blocks"]! + plan["Shared Read Blocks"]!;
  } finally {
    one.release();
  }
}

for (const kind of KINDS) {
  for (const analyzed of [true, false]) {
    const name = `clean_up() reads about what it deletes of ${kind.table} that have turned over, `;
    Deno.test(`${name}${analyzed ? "with" : "without"} statistics`, () =>
      withMeasuredDatabase(async ({ sql, url }) => {
        const { id } = await insertCompany(sql);
        const tables = [kind.table, "webhook_deliveries"];
        await fillAndTurnOver(sql, kind, id);
        if (analyzed) await sql`analyze`;

        const deleted: Record<string, unknown>[] = [];
        const plans = await plansOf(url, async (one) => {
          const [row] = await one`select outbound.clean_up(${OLD}) as cleaned`;
          deleted.push(row!.cleaned);
        });
        const pages = await pagesOf(sql, OLD);

        assert.equal(deleted[0]![kind.table], OLD);
        assert.deepEqual(faultsOf(plans, OLD, tables), []);
        // Nothing is left: a look at the old end of each index, where what was just deleted still is.
        assert.ok(pages < 100, `${pages} pages read to find that nothing is old`);
      }));
  }
}

import assert from "node:assert/strict";
import type postgres from "postgres";
import { withVoice } from "../e2e/with_voice.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/operations.md", import.meta.url));

/** The SQL below "Partitions by month", without the transaction around it. */
function partitioning(): string {
  const [, section = ""] = PAGE.split("**Partitions by month.**");
  return /```sql\nbegin;\n(.*?)commit;\n```/s.exec(section)![1]!;
}

/** Everything that hangs on the table, without what partitioning must name anew. */
async function belongings(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ what: string }[]>`
    select regexp_replace(replace(i.indexdef, 'ON ONLY ', 'ON '), ' USING btree', '') as what
    from pg_indexes as i where i.schemaname = 'outbound' and i.tablename = 'notifications'
    union all
    select pg_get_triggerdef(t.oid) from pg_trigger as t
    where t.tgrelid = 'outbound.notifications'::regclass and not t.tgisinternal
    union all
    select c.conrelid::regclass || ' ' || pg_get_constraintdef(c.oid) from pg_constraint as c
    where 'outbound.notifications'::regclass in (c.conrelid, c.confrelid) and c.conparentid = 0`;
  return rows.map(({ what }) => what.replace("notifications_by_month_pkey", "notifications_pkey")).sort();
}

Deno.test("docs/operations.md: partitions by month keep all that hangs on the table, and the queue works on", () =>
  withVoice(async (api) => {
    const { sql } = api;
    await api.addVoiceAccount();
    const { body: waiting } = await api.notify();
    const before = await belongings(sql);

    await sql.begin((transaction) => transaction.unsafe(partitioning()));

    assert.deepEqual(await belongings(sql), before);
    const { body: call } = await api.voice({ time: "nine" });
    await api.dispatch();
    await api.untilCounted(waiting.inquiry_set_id, { status: "completed", read: 1 });
    await api.untilCounted(call.inquiry_set_id, { status: "completed", delivered: 1 });
    const parts = await sql`select distinct tableoid::regclass::text as part from outbound.notifications`;
    assert.deepEqual(parts.map(({ part }) => /^outbound\.notifications_\d{4}_\d\d$/.test(part)), [true]);
  }));

import type postgres from "postgres";

/** The tables history is in. */
const TABLES = ["campaigns", "notification_facts", "queue", "delivery_attempts", "platform_events"];

/**
 * Does some writing while the large tables have no indexes, and makes them again afterwards: one sort each, instead of
 * inserting every row. A key that another table refers to stays.
 */
export async function withoutIndexes(sql: postgres.Sql, work: () => Promise<void>): Promise<void> {
  const constraints = await sql<{ name: string; table: string; definition: string }[]>`
    select quote_ident(c.conname) as name, c.conrelid::regclass::text as table,
      pg_get_constraintdef(c.oid) as definition
    from pg_constraint as c
    where c.contype in ('p', 'u') and c.connamespace = 'outbound'::regnamespace
      and c.conrelid::regclass::text = any (${TABLES.map((table) => `outbound.${table}`)})
      and not exists (select from pg_constraint as f where f.contype = 'f' and f.conindid = c.conindid)`;
  for (const { table, name } of constraints) await sql.unsafe(`alter table ${table} drop constraint ${name}`);
  const indexes = await sql<{ name: string; definition: string }[]>`
    select format('%I.%I', schemaname, indexname) as name, indexdef as definition from pg_indexes
    where schemaname = 'outbound' and tablename = any (${TABLES})
      and indexname not in (select conname from pg_constraint where contype in ('p', 'u'))`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  await work();
  await sql.begin(async (sql) => {
    await sql`set local maintenance_work_mem = '1GB'`;
    for (const { table, name, definition } of constraints) {
      await sql.unsafe(`alter table ${table} add constraint ${name} ${definition}`);
    }
    for (const { definition } of indexes) await sql.unsafe(definition);
  });
}

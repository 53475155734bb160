/** Runs a query and returns its rows. */
export type Query = (sql: string) => Promise<Record<string, unknown>[]>;

/** Something that schema `outbound` holds. */
export interface CatalogueObject {
  kind: "table" | "columns" | "column" | "constraint" | "index" | "trigger" | "view" | "function";
  /** The table it belongs to; null for a view and a function. */
  table: string | null;
  /** Unique among the objects of its kind and table; for a function with its argument types. */
  name: string;
  /** SQL that differs whenever the object does. */
  definition: string;
  /** For a function: all that `create or replace` cannot change. */
  signature: string | null;
}

/** All objects of schema `outbound`, by kind, table and name. */
export type Catalogue = Map<string, CatalogueObject>;

/** Reads what schema `outbound` of a database holds. */
export async function readCatalogue(query: Query): Promise<Catalogue> {
  const rows = await query(OBJECTS) as unknown as CatalogueObject[];
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** Returns an object's key in a catalogue, which is also its name for people: `column notifications.number`. */
export function keyOf({ kind, table, name }: Pick<CatalogueObject, "kind" | "table" | "name">): string {
  return table === null || kind === "table" ? `${kind} ${name}` : `${kind} ${table}.${name}`;
}

/** Returns the objects that one catalogue has otherwise than the other, or not at all. */
export function differences(one: Catalogue, other: Catalogue): CatalogueObject[] {
  const objects = new Map([...one, ...other]);
  return [...objects].flatMap(([key, object]) =>
    one.get(key)?.definition === other.get(key)?.definition ? [] : [object]
  );
}

const OBJECTS = `
with relation as (
  select c.oid, c.relname::text as name, c.relrowsecurity, c.reloptions, c.relacl
  from pg_class as c where c.relnamespace = to_regnamespace('outbound') and c.relkind = 'r'
),
attribute as (
  select r.name as "table", a.attnum, a.attname::text as name,
    format_type(a.atttypid, a.atttypmod)
      || case when a.attgenerated = 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
        when a.attidentity = 'a' then ' generated always as identity'
        else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end
      || case when a.attnotnull then ' not null' else '' end as definition
  from relation as r
  join pg_attribute as a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
)
select 'table' as kind, r.name as "table", r.name, null as signature,
  concat_ws(' ', r.relrowsecurity, r.reloptions::text, r.relacl::text) as definition
from relation as r
union all
select 'columns', a."table", 'order', null, string_agg(a.name, ', ' order by a.attnum) from attribute as a group by a."table"
union all
select 'column', a."table", a.name, null, a.definition from attribute as a
union all
select 'constraint', r.name, k.conname::text, null, pg_get_constraintdef(k.oid)
from relation as r join pg_constraint as k on k.conrelid = r.oid and k.contype in ('p', 'u', 'f', 'c', 'x')
union all
select 'index', r.name, i.relname::text, null, pg_get_indexdef(i.oid)
from relation as r
join pg_index as x on x.indrelid = r.oid
join pg_class as i on i.oid = x.indexrelid
where not exists (select from pg_constraint as k where k.conindid = i.oid and k.contype in ('p', 'u', 'x'))
union all
select 'trigger', r.name, t.tgname::text, null, pg_get_triggerdef(t.oid)
from relation as r join pg_trigger as t on t.tgrelid = r.oid and not t.tgisinternal
union all
select 'view', null, c.relname::text, null,
  concat_ws(' ', pg_get_viewdef(c.oid), c.reloptions::text, c.relacl::text)
from pg_class as c where c.relnamespace = to_regnamespace('outbound') and c.relkind = 'v'
union all
select 'function', null, p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
  pg_get_function_arguments(p.oid) || ' -> ' || pg_get_function_result(p.oid),
  concat_ws(' ', pg_get_functiondef(p.oid), p.proacl::text)
from pg_proc as p where p.pronamespace = to_regnamespace('outbound')
order by 1, 2, 3`;

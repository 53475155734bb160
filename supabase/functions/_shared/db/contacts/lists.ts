import { type Actor, withoutAudited } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";

/** A saved list of contacts. */
export interface ListRow {
  list_id: string;
  name: string;
  /** Null: the list has members. */
  condition: Record<string, unknown> | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** Names a list of a company. */
export interface ListIds {
  companyId: string;
  listId: string;
}

function columnsOf(sql: Sql) {
  return sql`l.id as list_id, l.name, l.condition, l.created_by, l.created_at, l.updated_at`;
}

/** Stores a list. Returns undefined where the company has another one of this name. */
export async function insertList(
  sql: Sql,
  { companyId, listId, name, condition }: ListIds & { name: string; condition: object | null },
  by: Actor,
): Promise<ListRow | undefined> {
  const [row] = await sql<(ListRow & { audited: string })[]>`
    with l as (
      insert into outbound.contact_lists (company_id, id, name, condition, created_by)
      values (${companyId}, ${listId}, ${name}, ${condition && jsonParameter(sql, condition)}, ${by.actor})
      on conflict on constraint contact_lists_name_key do nothing returning *
    )
    select ${
    columnsOf(sql)
  }, outbound.write_audit(l.company_id, ${by.actor}, 'list.created', l.id::text, null,
      jsonb_build_object('name', l.name), ${by.requestId ?? null}) as audited from l`;
  return row && withoutAudited(row);
}

/** Returns a list of a company. */
export async function readList(sql: Sql, { companyId, listId }: ListIds): Promise<ListRow | undefined> {
  const [row] = await sql<ListRow[]>`
    select ${columnsOf(sql)} from outbound.contact_lists as l
    where l.company_id = ${companyId} and l.id = ${listId}`;
  return row;
}

/** Returns a page of a company's lists, newest first: ids are in the order of their making. */
export async function readLists(
  sql: Sql,
  { companyId, after, limit }: { companyId: string; after?: string | undefined; limit: number },
): Promise<ListRow[]> {
  return await sql<ListRow[]>`
    select ${columnsOf(sql)} from outbound.contact_lists as l
    where l.company_id = ${companyId} ${after ? sql`and l.id < ${after}` : sql``}
    order by l.id desc limit ${limit}`;
}

/**
 * Changes a list. Returns `taken` where the company has another one of this name, undefined where it has no such list. What
 * is the same already is no change.
 */
export async function updateList(
  sql: Sql,
  { companyId, listId, name, condition }: ListIds & { name: string; condition: object | null },
  by: Actor,
): Promise<"taken" | ListRow | undefined> {
  const [row] = await sql<(ListRow & { is_taken: boolean })[]>`
    with old as (
      select * from outbound.contact_lists as o where o.company_id = ${companyId} and o.id = ${listId} for update
    ),
    taken as (
      select from outbound.contact_lists as o
      where o.company_id = ${companyId} and o.name = ${name} and o.id <> ${listId}
    ),
    changed as (
      update outbound.contact_lists as u
      set name = ${name}, condition = ${condition && jsonParameter(sql, condition)}, updated_at = now()
      from old
      where u.company_id = old.company_id and u.id = old.id and not exists (select from taken)
        and (old.name, old.condition) is distinct from (${name}::text, ${
    condition && jsonParameter(sql, condition)
  }::jsonb)
      returning u.*
    ),
    audited as (
      select outbound.write_audit(u.company_id, ${by.actor}, 'list.updated', u.id::text,
        jsonb_build_object('name', old.name), jsonb_build_object('name', u.name), ${by.requestId ?? null})
      from changed as u cross join old
    )
    select ${columnsOf(sql)}, exists (select from taken) as is_taken, (select count(*) from audited)
    from (select * from changed union all select * from old where not exists (select from changed)) as l`;
  if (row?.is_taken) return "taken";
  return row;
}

/** Deletes a list, not its contacts. Returns whether there was one. */
export async function deleteList(sql: Sql, { companyId, listId }: ListIds, by: Actor): Promise<boolean> {
  const [row] = await sql`
    with l as (
      delete from outbound.contact_lists as l where l.company_id = ${companyId} and l.id = ${listId} returning *
    )
    select outbound.write_audit(l.company_id, ${by.actor}, 'list.removed', l.id::text,
      jsonb_build_object('name', l.name), null, ${by.requestId ?? null}) from l`;
  return row !== undefined;
}

/** Returns the conditions of those of the lists that the company has; null for one that has members. */
export async function readListConditions(
  sql: Sql,
  { companyId, listIds }: { companyId: string; listIds: string[] },
): Promise<{ list_id: string; condition: unknown }[]> {
  return await sql<{ list_id: string; condition: unknown }[]>`
    select l.id as list_id, l.condition from outbound.contact_lists as l
    where l.company_id = ${companyId} and l.id = any (${listIds}::uuid[])`;
}

/** The contacts that a request names: by their ids, and by addresses with their kinds. */
export interface NamedContacts {
  contactIds: string[];
  kinds: string[];
  addresses: string[];
}

/**
 * Adds contacts to a list that has members, or takes them off. Returns how many members that changed, and how many names
 * are no contact's.
 */
export async function changeMembers(
  sql: Sql,
  { companyId, listId, contactIds, kinds, addresses, change }: ListIds & NamedContacts & {
    change: "add" | "remove";
  },
  by: Actor,
): Promise<{ changed: number; unknown: number }> {
  const [row] = await sql<{ changed: number; unknown: number }[]>`
    select m.changed, m.unknown from outbound.change_list_members(
      ${companyId}, ${listId}, ${contactIds}::uuid[], ${kinds}::text[], ${addresses}::text[], ${
    change === "add"
  },
      ${by.actor}, ${by.requestId ?? null}) as m`;
  return row!;
}

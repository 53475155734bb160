import { type Actor, writeAudit } from "../access/audit.ts";
import type { Sql } from "../driver/connect.ts";
import { inTransaction } from "../driver/in_transaction.ts";
import { lockPeople } from "./contacts.ts";

/** Tags to add to contacts, and to remove. */
export interface TagChanges {
  add: string[];
  remove: string[];
}

/** A tag of a company's contacts, and how many of them have it. */
export interface TagCount {
  tag: string;
  contacts: number;
}

/** Returns the tags of a company's contacts that follow one, in the order of their bytes. */
export async function readTags(
  sql: Sql,
  { companyId, after = "", limit }: { companyId: string; after?: string | undefined; limit: number },
): Promise<TagCount[]> {
  return [
    ...await sql<TagCount[]>`
      select tag, contacts from outbound.list_tags(${companyId}, ${after}, ${limit})`,
  ];
}

/** Changes the tags of contacts, with a row in the audit. Returns how many contacts changed. */
export async function tagContacts(
  sql: Sql,
  companyId: string,
  { ids, tags }: { ids: string[]; tags: TagChanges },
  by: Actor,
): Promise<number> {
  return await inTransaction(sql, async (on) => {
    await lockPeople(on, companyId);
    const changed = await on`
      update outbound.contacts as c set tags = n.tags, updated_at = now()
      from unnest(${ids}::uuid[]) as given(id)
      cross join lateral (
        select o.id, outbound.all_tags(array(
          select tag from unnest(o.tags) as tag where tag <> all (${tags.remove}::text[])
        ), ${tags.add}::text[]) as tags
        from outbound.contacts as o where o.company_id = ${companyId} and o.id = given.id limit 1
      ) as n
      where c.company_id = ${companyId} and c.id = n.id and c.tags <> n.tags
      returning 1`;
    if (changed.length === 0) return 0;
    await writeAudit(on, companyId, {
      ...by,
      action: "contacts.tagged",
      after: { ...tags, contacts: changed.length },
    });
    return changed.length;
  });
}

const MEMBERS_PER_BATCH = 5000;

/** As {@link tagContacts}, for all members of a list: a batch at a time, so that others are not kept waiting. */
export async function tagMembers(
  sql: Sql,
  companyId: string,
  { listId, tags }: { listId: string; tags: TagChanges },
  by: Actor,
): Promise<number> {
  let changed = 0;
  let after = "00000000-0000-0000-0000-000000000000";
  while (true) {
    const rows = await sql<{ id: string }[]>`
      select contact_id as id from outbound.contact_list_members
      where company_id = ${companyId} and list_id = ${listId} and contact_id > ${after}
      order by contact_id limit ${MEMBERS_PER_BATCH}`;
    if (rows.length === 0) return changed;
    changed += await tagContacts(sql, companyId, { ids: rows.map(({ id }) => id), tags }, by);
    after = rows.at(-1)!.id;
  }
}

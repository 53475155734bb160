import type { SearchText } from "../../people/search_text.ts";
import { chooseOfAudience } from "../contacts/audiences.ts";
import type { Match } from "../contacts/match_sql.ts";
import type { Sql } from "../driver/connect.ts";
import { type ContactRow, readContacts } from "./contacts.ts";

/** Contacts of a company. */
export interface ContactsFilter {
  companyId: string;
  search?: SearchText | undefined;
  tag?: string | undefined;
  /** A list that has members. */
  listId?: string | undefined;
  /** The condition that they meet besides: that of a list which has one. */
  match?: Match | undefined;
}

/** A page of a company's contacts: those after one, newest first. */
export interface ContactsQuery extends ContactsFilter {
  /** The last contact of the page before. */
  after?: string | undefined;
  limit: number;
}

/** How many contacts a page is chosen from: fewer may meet a condition than a page has, also none. */
const LOOKED_AT = 2000;

/**
 * Returns one page of contacts, and the contact after which the next one begins; null at the end. A page of those who meet
 * a condition may be short, or empty, before the end.
 */
export async function listContacts(
  sql: Sql,
  { match, ...query }: ContactsQuery,
): Promise<{ contacts: ContactRow[]; next: string | null }> {
  const { companyId, search, tag, limit } = query;
  // A search that finds less than it is asked for reads all that there is: it is asked for a page.
  const size = match === undefined || search || tag ? limit : Math.max(limit, LOOKED_AT);
  const found = await findPage(sql, { ...query, limit: size });
  const ids = match === undefined
    ? found
    : await chooseOfAudience(sql, { companyId, match }, { contactIds: found, limit });
  const last = ids.length === limit ? ids.at(-1) : found.length === size ? found.at(-1) : undefined;
  return { contacts: await readContacts(sql, companyId, ids), next: last ?? null };
}

const CONTACTS_PER_PAGE = 1000;

/**
 * Yields all contacts that the filter leaves, newest first, page by page. Looks at each contact of the company once where
 * the filter is no search: to find those of a tag anew for each page would read them all as often as there are pages.
 */
export async function* readAllContacts(sql: Sql, filter: ContactsFilter): AsyncGenerator<ContactRow[]> {
  const { search, tag, listId, match, ...rest } = filter;
  const matches: Match[] = [
    ...tag === undefined ? [] : [{ tag }],
    ...listId === undefined ? [] : [{ member_of: listId }],
    ...match === undefined ? [] : [match],
  ];
  const query = search ? filter : { ...rest, match: matches.length === 0 ? undefined : { all: matches } };
  let after: string | undefined;
  do {
    const { contacts, next } = await listContacts(sql, { ...query, after, limit: CONTACTS_PER_PAGE });
    if (contacts.length > 0) yield contacts;
    // A page after a contact that is gone is empty: an end, and yet not all.
    else if (after && (await readContacts(sql, filter.companyId, [after])).length === 0) {
      throw new Error("The contact after which the next page begins was deleted meanwhile");
    }
    after = next ?? undefined;
  } while (after !== undefined);
}

/**
 * Returns the ids of one page. What many contacts match is found among the next ones in order, what few match by the index
 * of its terms: a page never reads all that match, nor all contacts.
 */
async function findPage(sql: Sql, query: ContactsQuery): Promise<string[]> {
  const { companyId, search, tag = null, listId = null, after = null, limit } = query;
  const [walked] = await sql<{ ids: string[]; is_last: boolean }[]>`
    select ids, is_last from outbound.walk_contacts(
      ${companyId}, outbound.fold_text(${search?.text ?? null}), ${search?.digits ?? null}, ${tag}, ${listId},
      ${after}, ${limit})`;
  const { ids, is_last: isLast } = walked!;
  return isLast || ids.length === limit ? ids : await findRare(sql, query);
}

/** Terms hold the company; its id stands in a case, so that no index of all its contacts is read instead. */
async function findRare(sql: Sql, query: ContactsQuery): Promise<string[]> {
  const { companyId, search, tag, listId, after, limit } = query;
  const rows = await sql<{ id: string }[]>`
    with found as materialized (${
    search ? searched(sql, companyId, search) : tag ? tagged(sql, companyId, tag) : listed(sql, query)
  })
    select c.id from found
    cross join lateral (
      select o.id, o.first_seen_at, o.tags from outbound.contacts as o
      where o.company_id = ${companyId} and o.id = found.id limit 1
    ) as c
    where true
      ${tag ? sql`and ${tag} = any (c.tags)` : sql``}
      ${
    listId
      ? sql`and exists (
        select from outbound.contact_list_members as m
        where m.company_id = ${companyId} and m.list_id = ${listId} and m.contact_id = c.id)`
      : sql``
  }
      ${
    after
      ? sql`and (c.first_seen_at, c.id) < (
        select o.first_seen_at, o.id from outbound.contacts as o where o.company_id = ${companyId} and o.id = ${after})`
      : sql``
  }
    order by c.first_seen_at desc, c.id desc limit ${limit}`;
  return rows.map(({ id }) => id);
}

function searched(sql: Sql, companyId: string, { text, digits }: SearchText) {
  return sql`
    select c.id from outbound.contacts as c
    where outbound.search_terms(c.company_id, c.name) @> outbound.search_terms(${companyId}, ${text})
      and case when c.company_id = ${companyId}
        then position(outbound.fold_text(${text}) in outbound.fold_text(c.name)) > 0 end
    union
    select a.contact_id from outbound.contact_addresses as a
    where outbound.search_terms(a.company_id, a.address) @> outbound.search_terms(${companyId}, ${
    digits ?? text
  })
      and case when a.company_id = ${companyId}
        then position(outbound.fold_text(${digits ?? text}) in outbound.fold_text(a.address)) > 0 end`;
}

function tagged(sql: Sql, companyId: string, tag: string) {
  return sql`
    select c.id from outbound.contacts as c
    where outbound.tag_terms(c.company_id, c.tags) @> outbound.tag_terms(${companyId}, array[${tag}::text])
      and case when c.company_id = ${companyId} then true end`;
}

function listed(sql: Sql, { companyId, listId }: ContactsQuery) {
  return sql`
    select m.contact_id as id from outbound.contact_list_members as m
    where m.company_id = ${companyId} and m.list_id = ${listId ?? null}`;
}

import { type Actor, writeAudit } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import { inTransaction } from "../driver/in_transaction.ts";
import type { ContactAddress, Person } from "../../people/person.ts";

/** How a company came to know a contact. Later sources do not replace the first. */
export const PEOPLE_SOURCES = ["operator", "api", "import", "send", "platform", "visitor"] as const;

/** A person of a company. */
export interface ContactRow {
  contact_id: string;
  name: string | null;
  language: string | null;
  timezone: string | null;
  country: string | null;
  attributes: Record<string, string | number | boolean>;
  tags: string[];
  addresses: ContactAddress[];
  /** The lists with members that it belongs to. */
  list_ids: string[];
  /** Of which messages the person wants no more, by any address; null: of none. */
  opted_out: "marketing" | "all" | null;
  /** The latest consent of any address; null: none is recorded. */
  consent: "granted" | "withdrawn" | null;
  source: typeof PEOPLE_SOURCES[number];
  first_seen_at: Date;
  last_seen_at: Date;
  updated_at: Date;
}

/** Names a contact of a company. */
export interface ContactKey {
  companyId: string;
  contactId: string;
}

/** Returns contacts in the order of their ids in `contactIds`. */
export async function readContacts(sql: Sql, companyId: string, contactIds: string[]): Promise<ContactRow[]> {
  return [
    ...await sql<ContactRow[]>`
      select c.id as contact_id, c.name, c.language, c.timezone, c.country, c.attributes, c.tags, known.addresses,
        array_to_json(array(
          select m.list_id from outbound.contact_list_members as m
          where m.company_id = c.company_id and m.contact_id = c.id order by m.list_id
        )) as list_ids,
        (
          select min(s.category) from unnest(known.in_ledgers) as a(address)
          cross join lateral (
            select o.category from outbound.suppressions as o
            where o.company_id = c.company_id and o.address = a.address and o.lifted_at is null offset 0
          ) as s
        ) as opted_out,
        (
          select k.status from unnest(known.in_ledgers) as a(address)
          cross join lateral (
            select o.status, o.consented_at from outbound.consents as o
            where o.company_id = c.company_id and o.address = a.address order by o.consented_at desc, o.status desc limit 1
          ) as k
          order by k.consented_at desc, k.status desc limit 1
        ) as consent,
        c.source, c.first_seen_at, c.last_seen_at, c.updated_at
      from unnest(${contactIds}::uuid[]) with ordinality as wanted(id, ord)
      cross join lateral (
        select * from outbound.contacts as o where o.company_id = ${companyId} and o.id = wanted.id limit 1
      ) as c
      cross join lateral (
        select coalesce(json_agg(json_build_object('kind', o.kind, 'address', o.address) order by o.kind, o.address),
            '[]') as addresses,
          array_agg(o.address) filter (where o.kind in ('number', 'user_id')) as in_ledgers
        from outbound.contact_addresses as o where o.company_id = c.company_id and o.contact_id = c.id
      ) as known
      order by wanted.ord`,
  ];
}

/** Returns a contact; undefined when the company has none with this id. */
export async function readContact(
  sql: Sql,
  { companyId, contactId }: ContactKey,
): Promise<ContactRow | undefined> {
  return (await readContacts(sql, companyId, [contactId]))[0];
}

/** Returns the contacts that addresses belong to: the first is the person's. */
export async function findContacts(
  sql: Sql,
  companyId: string,
  addresses: ContactAddress[],
): Promise<string[]> {
  const [row] = await sql<{ ids: string[] }[]>`
    select outbound.contacts_of(${companyId}, ${jsonParameter(sql, addresses)}) as ids`;
  return row!.ids;
}

/** Keeps other transactions from changing who a company's contacts are until this one ends. */
export async function lockPeople(sql: Sql, companyId: string): Promise<void> {
  await sql`select outbound.lock_people(${companyId})`;
}

/** The outcome for one person; `contact_id` is null for one who was erased and is not learned again. */
export interface Learned {
  contact_id: string | null;
  created: boolean;
  /** Anything but the time of the last sight is new. */
  changed: boolean;
}

/** Records people that the company has come to know; see `outbound.learn_contacts`. */
export async function learnContacts(
  sql: Sql,
  companyId: string,
  people: Person[],
  source: ContactRow["source"],
): Promise<Learned[]> {
  return await sql<Learned[]>`
    select l.contact_id, l.created, l.changed
    from outbound.learn_contacts(${companyId}, ${jsonParameter(sql, people)}, ${source}) as l order by l.ord`;
}

/** The fields that a member changes of a contact. Null removes; what is left out stays. */
export interface ContactChanges {
  name?: string | null | undefined;
  language?: string | null | undefined;
  timezone?: string | null | undefined;
  country?: string | null | undefined;
  attributes?: Record<string, unknown> | undefined;
  tags?: string[] | undefined;
  addresses?: ContactAddress[] | undefined;
}

/** Changes a contact whose people are locked. Its addresses belong to no other contact. The audit names no person. */
export async function updateContact(
  sql: Sql,
  { companyId, contactId }: ContactKey,
  { attributes, addresses, ...changes }: ContactChanges,
  by: Actor,
): Promise<void> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const removed = Object.entries(attributes ?? {}).flatMap(([name, value]) => value === null ? name : []);
  const rows = await sql<{ changed: string[] }[]>`
    with before as materialized (
      select c as contact from outbound.contacts as c
      where c.company_id = ${companyId} and c.id = ${contactId} for no key update
    ),
    wanted as (
      select n.*, to_jsonb(b.contact) as was from before as b
      cross join lateral jsonb_populate_record(b.contact, ${jsonParameter(sql, given)} || jsonb_build_object(
        'attributes', ((b.contact).attributes
          || outbound.attribute_values(${companyId}, ${
    jsonParameter(sql, attributes ?? {})
  })) - ${removed}::text[]
      )) as n
    ),
    changed as (
      update outbound.contacts as c
      set name = w.name, language = w.language, timezone = w.timezone, country = w.country,
        attributes = w.attributes, tags = outbound.all_tags(w.tags, '{}')
      from wanted as w where c.company_id = w.company_id and c.id = w.id
      returning w.was, to_jsonb(c) as now
    )
    select array(
      select n.key from jsonb_each(changed.now) as n
      where n.value is distinct from changed.was -> n.key
    ) as changed from changed`;
  const fields = [...rows[0]?.changed ?? []];
  if (addresses && await replaceAddresses(sql, { companyId, contactId }, addresses)) fields.push("addresses");
  if (fields.length === 0) return;
  await sql`update outbound.contacts set updated_at = now() where company_id = ${companyId} and id = ${contactId}`;
  await writeAudit(sql, companyId, {
    ...by,
    action: "contact.updated",
    subject: contactId,
    after: { fields },
  });
}

async function replaceAddresses(
  sql: Sql,
  { companyId, contactId }: ContactKey,
  addresses: ContactAddress[],
): Promise<boolean> {
  const wanted = sql`jsonb_to_recordset(${jsonParameter(sql, addresses)}) as w(kind text, address text)`;
  const deleted = await sql`
    delete from outbound.contact_addresses as a
    where a.company_id = ${companyId} and a.contact_id = ${contactId}
      and not exists (select from ${wanted} where w.kind = a.kind and w.address = a.address)
    returning 1`;
  const added = await sql`
    insert into outbound.contact_addresses (company_id, kind, address, contact_id)
    select ${companyId}, w.kind, w.address, ${contactId} from ${wanted}
    on conflict on constraint contact_addresses_pkey do nothing returning 1`;
  return deleted.length + added.length > 0;
}

/** Deletes a contact with its addresses. Returns whether there was one. */
export async function deleteContact(
  sql: Sql,
  { companyId, contactId }: ContactKey,
  by: Actor,
): Promise<boolean> {
  return await inTransaction(sql, async (on) => {
    await lockPeople(on, companyId);
    const deleted = await on`
      delete from outbound.contacts where company_id = ${companyId} and id = ${contactId} returning 1`;
    if (deleted.length === 0) return false;
    await on`
      update outbound.conversations set contact_id = null
      where company_id = ${companyId} and contact_id = ${contactId}`;
    await writeAudit(on, companyId, { ...by, action: "contact.removed", subject: contactId });
    return true;
  });
}

/** Makes `from` a part of a contact; see `outbound.merge_contacts`. Returns whether both existed. */
export async function mergeContacts(
  sql: Sql,
  { companyId, contactId, from }: ContactKey & { from: string },
  by: Actor,
): Promise<boolean> {
  return await inTransaction(sql, async (on) => {
    await lockPeople(on, companyId);
    const [row] = await on<{ merged: boolean }[]>`
      select outbound.merge_contacts(${companyId}, ${contactId}, ${from}) as merged`;
    if (!row!.merged) return false;
    await writeAudit(on, companyId, { ...by, action: "contact.merged", subject: contactId, after: { from } });
    return true;
  });
}

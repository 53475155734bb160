import type { Actor } from "../access/audit.ts";
import type { PersonKey } from "../../values/address.ts";
import type { Sql } from "../driver/connect.ts";

/** Returns the sealed key of a company's hashes; null while no person was erased. */
export async function readErasureKey(sql: Sql, companyId: string): Promise<string | null> {
  const [row] = await sql<{ sealed: string | null }[]>`
    select erasure_key_sealed as sealed from outbound.contact_rules where company_id = ${companyId}`;
  return row?.sealed ?? null;
}

/** Stores the key of a company's hashes, unless it has one. Returns the one it has. */
export async function insertErasureKey(sql: Sql, companyId: string, sealed: string): Promise<string> {
  const [row] = await sql<{ sealed: string }[]>`
    insert into outbound.contact_rules as r (company_id, erasure_key_sealed) values (${companyId}, ${sealed})
    on conflict on constraint contact_rules_pkey do update
      set erasure_key_sealed = coalesce(r.erasure_key_sealed, excluded.erasure_key_sealed)
    returning r.erasure_key_sealed as sealed`;
  return row!.sealed;
}

/** The facts about a person that erasing needs. */
export interface PersonToErase {
  addresses: string[];
  /** The outgoing events that name the person, written before `since`. */
  events: string[];
  /** As the database writes it. */
  since: string;
  erasure_key_sealed: string | null;
}

/**
 * Returns a person's addresses and the events that name them. Reads all events of the company, which are kept for 30
 * days: an index would cost every event something.
 */
export async function readPersonToErase(
  sql: Sql,
  companyId: string,
  { number, user_id, contact_id }: PersonKey,
): Promise<PersonToErase> {
  const [row] = await sql<PersonToErase[]>`
    with named as materialized (
      select outbound.addresses_of_person(${companyId}, ${number}, ${user_id}, ${contact_id}) as addresses
    ),
    person as materialized (
      select n.addresses,
        outbound.contacts_of_addresses(${companyId}, n.addresses) || ${contact_id}::uuid as contacts
      from named as n
    )
    select p.addresses,
      array(
        select e.id from outbound.outgoing_events as e
        where e.company_id = ${companyId}
          and e.payload::text like any (array(
            select '%"' || a || '"%'
            from unnest(
              p.addresses || outbound.chats_of_contacts(${companyId}, p.contacts)
              || outbound.handoffs_of_person(${companyId}, p.addresses, p.contacts)::text[]
            ) as a
          ))
      ) as events,
      -- A transaction that began earlier may still write some.
      (now() - interval '1 minute')::text as since,
      (
        select r.erasure_key_sealed from outbound.contact_rules as r where r.company_id = ${companyId}
      ) as erasure_key_sealed
    from person as p`;
  return { ...row! };
}

/** How much of a person was erased, by kind. */
export interface ErasedCounts {
  /** Of these, `skipped` were waiting and `failed` had an unknown outcome. */
  notifications: number;
  skipped: number;
  failed: number;
  calls: number;
  messages: number;
  suppressions: number;
  consents: number;
  user_ids: number;
  events: number;
  contacts: number;
  /** Of the archive: each is written without the person soon. */
  archive_files: number;
}

export interface Erasure extends PersonKey, Pick<PersonToErase, "addresses" | "events" | "since"> {
  /** Of `addresses`. */
  hashes: string[];
  /** For the audit: `key:<id>` or `cli`. */
  actor: Actor["actor"];
  requestId: string | null;
}

export type ErasureOutcome =
  | { outcome: "erased"; counts: ErasedCounts }
  | { outcome: "on_its_way"; retry_after_s: number }
  | { outcome: "changed" | "unknown" };

/** Erases a person in one transaction; see `outbound.erase_person`. */
export async function eraseFromDatabase(
  sql: Sql,
  companyId: string,
  { number, user_id, contact_id, addresses, hashes, events, since, actor, requestId }: Erasure,
): Promise<ErasureOutcome> {
  const [row] = await sql<ErasureOutcome[]>`
    select outcome, retry_after_s, counts from outbound.erase_person(
      ${companyId}, ${number}, ${user_id}, ${contact_id}, ${addresses}::text[], ${hashes}::text[], ${events}::text[],
      ${since}::timestamptz, ${actor}, ${requestId})`;
  return { ...row! };
}

import { afterRow } from "../driver/after_row.ts";
import type { Actor } from "../access/audit.ts";
import type { Consent, ContactScope, Suppression } from "./contacts.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";

/** Part of a company's list: the entries after one, the newest first. */
export interface LedgerQuery {
  companyId: string;
  /** Only entries of the person with this number, or this user id. */
  number?: string | undefined;
  user_id?: string | undefined;
  channel?: ContactScope["channel"] | undefined;
  /** The id of the last entry of the page before. */
  after?: string | undefined;
  limit: number;
}

export interface SuppressionsQuery extends LedgerQuery {
  source?: Suppression["source"] | undefined;
  /** Whether to return those too that were lifted. */
  lifted: boolean;
}

export interface SuppressionRow {
  id: string;
  address: string;
  channel: string;
  category: string;
  source: Suppression["source"];
  at: Date;
  evidence: Record<string, unknown> | null;
  created_at: Date;
  lifted_at: Date | null;
  lifted_by: string | null;
  lifted_evidence: Record<string, unknown> | null;
}

/**
 * Returns one page of a company's suppressions. A person with several addresses has one under each in the database, and
 * one here: that of the first address.
 */
export async function readSuppressions(
  sql: Sql,
  { companyId, number, user_id, channel, source, lifted, after, limit }: SuppressionsQuery,
): Promise<SuppressionRow[]> {
  return await sql<SuppressionRow[]>`
    select s.id, s.address, s.channel, s.category, s.source, s.at, s.evidence, s.created_at, s.lifted_at, s.lifted_by,
      s.lifted_evidence
    from outbound.suppressions as s
    where s.company_id = ${companyId}
      ${ofPerson(sql, "s", { companyId, number, user_id })}
      ${channel ? sql`and s.channel = ${channel}` : sql``}
      ${source ? sql`and s.source = ${source}` : sql``}
      ${lifted ? sql`` : sql`and s.lifted_at is null`}
      and not exists (
        select from ${addressesOfPerson(sql, "s")}
        join outbound.suppressions as o on o.company_id = s.company_id and o.address = known.address
        where known.address < s.address and o.channel = s.channel and o.category = s.category and o.source = s.source
          and o.lifted_at is not distinct from s.lifted_at
      )
      ${afterRow(sql, "s", { table: "outbound.suppressions", companyId, after })}
    order by s.created_at desc, s.id desc limit ${limit}`;
}

/** Keeps the entries under any address of a person, where a query names one. */
function ofPerson(sql: Sql, alias: string, { companyId, number, user_id }: Omit<LedgerQuery, "limit">) {
  if (number === undefined && user_id === undefined) return sql``;
  return sql`and ${sql(alias)}.address = any (
    (select outbound.addresses_of_person(${companyId}, ${number ?? null}, ${
    user_id ?? null
  }, null))::text[])`;
}

/** The addresses of the person of an entry. */
function addressesOfPerson(sql: Sql, alias: string) {
  const entry = sql(alias);
  return sql`unnest(outbound.addresses_of_person(${entry}.company_id,
    case when ${entry}.address not like '%.%' then ${entry}.address end,
    case when ${entry}.address like '%.%' then ${entry}.address end, null)) as known(address)`;
}

export interface ConsentsQuery extends LedgerQuery {
  status?: Consent["status"] | undefined;
}

export interface ConsentRow {
  id: string;
  address: string;
  channel: string;
  category: string;
  status: Consent["status"];
  method: string;
  detail: string | null;
  consented_at: Date;
  source: string;
  created_at: Date;
}

/** Returns one page of a company's consents and withdrawals, each once, as {@link readSuppressions}. */
export async function readConsents(
  sql: Sql,
  { companyId, number, user_id, channel, status, after, limit }: ConsentsQuery,
): Promise<ConsentRow[]> {
  return await sql<ConsentRow[]>`
    select c.id, c.address, c.channel, c.category, c.status, c.method, c.detail, c.consented_at, c.source, c.created_at
    from outbound.consents as c
    where c.company_id = ${companyId}
      ${ofPerson(sql, "c", { companyId, number, user_id })}
      ${channel ? sql`and c.channel = ${channel}` : sql``}
      ${status ? sql`and c.status = ${status}` : sql``}
      and not exists (
        select from ${addressesOfPerson(sql, "c")}
        join outbound.consents as o on o.company_id = c.company_id and o.address = known.address
        where known.address < c.address and o.channel = c.channel and o.category = c.category and o.status = c.status
          and o.consented_at = c.consented_at
      )
      ${afterRow(sql, "c", { table: "outbound.consents", companyId, after })}
    order by c.created_at desc, c.id desc limit ${limit}`;
}

/** A request of a company or an operator to lift suppressions; see `outbound.unsuppress_contact`. */
export interface Unsuppress extends ContactScope {
  /** Suppressions of these sources are lifted without evidence. */
  sources: Suppression["source"][];
  by: "api" | "operator";
  /** When the person agreed again, ISO 8601; null if nothing shows that. */
  consentedAt: string | null;
  evidence: Record<string, unknown>;
}

export interface Unsuppressed {
  outcome: "lifted" | "none" | "evidence_needed" | "kept";
  lifted: number;
  /** The sources by which the person is still suppressed. */
  kept: Suppression["source"][];
  opted_out_at: Date | null;
  opted_out_by: Suppression["source"] | null;
}

/** Lifts suppressions, if the caller may, with a row in the audit. */
export async function unsuppressContact(
  sql: Sql,
  companyId: string,
  { number, user_id, channel, category, sources, by, consentedAt, evidence }: Unsuppress,
  { actor, requestId }: Actor,
): Promise<Unsuppressed> {
  const [row] = await sql<Unsuppressed[]>`
    with done as materialized (
      select outcome, lifted, kept, opted_out_at, opted_out_by from outbound.unsuppress_contact(
        ${companyId}, ${number}, ${user_id}, ${channel}, ${category}, ${sources}::text[], ${by},
        ${consentedAt}::timestamptz, ${jsonParameter(sql, evidence)})
    ),
    audited as materialized (
      select outbound.write_audit(${companyId}, ${actor}, 'suppression.lifted', null, null,
        jsonb_build_object('lifted', done.lifted, 'channel', ${channel}::text, 'category', ${category}::text),
        ${requestId ?? null})
      from done where done.outcome = 'lifted'
    )
    select done.* from done cross join (select count(*) from audited) as written`;
  return { ...row! };
}

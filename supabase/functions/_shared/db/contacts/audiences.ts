import { inTransaction } from "../driver/in_transaction.ts";
import type { Sql } from "../driver/connect.ts";
import type { ListIds } from "./lists.ts";
import type { UploadIds } from "../campaigns/uploads.ts";
import {
  type AudienceChannel,
  createParameters,
  impliesAddress,
  joinSets,
  type LedgerCategory,
  type Match,
  matchSql,
  type Parameters,
} from "./match_sql.ts";

/** The contacts of a company that meet a condition. */
export interface Audience {
  companyId: string;
  match: Match;
}

/** The size of an audience before it is sent to. */
export interface AudienceCount {
  count: number;
  /** Have an address on the channel, and have not opted out. */
  reachable: number;
  opted_out: number;
  /** Have no address on the channel. */
  without_address: number;
}

/**
 * Counts an audience, and those of it who can be reached. Merging the contacts with all addresses takes a third of the
 * time, so it is left out where the condition shows that each has one.
 */
export async function countAudience(
  sql: Sql,
  audience: Audience,
  { channel, category }: { channel: AudienceChannel; category: LedgerCategory },
): Promise<AudienceCount> {
  const [row] = await runMatching<AudienceCount>(sql, (parameters) => {
    const sqlOf = (match: Match) => matchSql(match, { ...parameters, companyId: audience.companyId });
    const hasAddress = impliesAddress(audience.match, channel) ? "true" : sqlOf({ address_on: channel });
    return `
    select count(*)::int as count,
      (count(*) filter (where not m.is_opted_out and m.has_address))::int as reachable,
      (count(*) filter (where m.is_opted_out))::int as opted_out,
      (count(*) filter (where not m.is_opted_out and not m.has_address))::int as without_address
    from (
      select ${sqlOf({ opted_out: channel, category })} as is_opted_out,
        ${hasAddress} as has_address ${matching(audience, parameters)}
    ) as m`;
  });
  return row!;
}

/** Counts the contacts of an audience. */
export async function countContacts(sql: Sql, audience: Audience): Promise<number> {
  const [row] = await runMatching<{ count: number }>(sql, (parameters) => `
    select count(*)::int as count ${matching(audience, parameters)}`);
  return row!.count;
}

/** Counts the members of a list. */
export async function countMembers(sql: Sql, { companyId, listId }: ListIds): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from outbound.contact_list_members as m
    where m.company_id = ${companyId} and m.list_id = ${listId}`;
  return row!.count;
}

/** Returns the first `limit` of the contacts that an audience has, in their order. Looks at no more of them than it must. */
export async function chooseOfAudience(
  sql: Sql,
  { companyId, match }: Audience,
  { contactIds, limit }: { contactIds: string[]; limit: number },
): Promise<string[]> {
  const textOf = (parameters: Parameters) => `
    select c.id from (
      select * from unnest(${
    parameters.add(`{${contactIds.join(",")}}`)
  }::text::uuid[]) with ordinality as given(id, position) order by position offset 0
    ) as given
    cross join lateral (
      select o.* from outbound.contacts as o
      where o.company_id = ${parameters.add(companyId)}::text::uuid and o.id = given.id limit 1
    ) as c
    where ${matchSql(match, { ...parameters, companyId, ofFew: true })}
    order by given.position limit ${parameters.add(limit)}::int`;
  const rows = await runMatching<{ id: string }>(sql, textOf, { ofFew: true });
  return rows.map(({ id }) => id);
}

/** Returns the contacts of an audience, at most `limit`, in the order in which they are sent to. */
export async function readAudienceIds(sql: Sql, audience: Audience, limit: number): Promise<string[]> {
  const [row] = await runMatching<{ ids: string[] }>(sql, (parameters) => `
    select array(select c.id ${matching(audience, parameters)} order by c.id limit ${
    parameters.add(limit)
  }::int) as ids`);
  return row!.ids;
}

/**
 * Fixes the members of an upload's audience in batches, unless there are more than `limit` or none. Returns how many there
 * are, at most `limit` + 1. Call it in the transaction that starts the upload.
 */
export async function fixMembers(
  sql: Sql,
  { uploadId, ...audience }: Audience & UploadIds,
  { limit, perBatch }: { limit: number; perBatch: number },
): Promise<number> {
  const [row] = await runMatching<{ members: number }>(sql, (parameters) => {
    const { add } = parameters;
    return `
      with chosen as materialized (
        select c.id ${matching(audience, parameters)} order by c.id limit ${add(limit + 1)}::int
      ),
      counted as (select count(*)::int as members from chosen),
      fixed as (
        insert into outbound.upload_members (company_id, upload_id, batch, contact_ids)
        select ${add(audience.companyId)}::text::uuid, ${add(uploadId)}::text::uuid, placed.batch,
          array_agg(placed.id order by placed.id)
        from (
          select o.id, ((row_number() over (order by o.id) - 1) / ${add(perBatch)}::int + 1)::int as batch
          from chosen as o
        ) as placed
        where (select k.members from counted as k) <= ${add(limit)}::int
        group by placed.batch
      )
      select members from counted`;
  });
  return row!.members;
}

function matching({ companyId, match }: Audience, parameters: Parameters): string {
  const where = matchSql(match, { ...parameters, companyId });
  return `
    from outbound.contacts as c ${joinSets(parameters)}
    where c.company_id = ${parameters.add(companyId)}::text::uuid and ${where}`;
}

/**
 * The plan is made for this very condition, and reads the company's rows by indexes: a company of ten beside one of a
 * million reads ten. Sets and contacts are merged in the order of the contacts, in which most of them lie: hashing a million
 * takes twice as long, and each of several processes would make all sets for itself. What is in no order is sorted in
 * memory. With an empty cache in mind, the planner reads the pages of contacts one after another, and sorts those who
 * meet the condition, rather than a page per contact.
 */
async function runMatching<Row>(
  sql: Sql,
  textOf: (parameters: Parameters) => string,
  { ofFew = false } = {},
): Promise<Row[]> {
  const parameters = createParameters();
  const text = textOf(parameters);
  const [ofSets, ofRows] = ofFew ? ["off", "on"] : ["on", "off"];
  return await inTransaction(sql, async (on) => {
    await on`
      select set_config(name, value, true)
      from (values ('statement_timeout', '30s'), ('work_mem', '128MB'), ('effective_cache_size', '1MB'), ('jit', 'off'),
        ('max_parallel_workers_per_gather', '0'), ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'),
        ('enable_hashagg', 'off'), ('enable_bitmapscan', ${ofSets}), ('enable_mergejoin', ${ofSets}),
        ('enable_nestloop', ${ofRows})) as s(name, value)`;
    return await on.unsafe(text, parameters.values) as unknown as Row[];
  });
}

/** Returns those of the campaigns that the company has. */
export async function findCampaigns(
  sql: Sql,
  { companyId, campaignIds }: { companyId: string; campaignIds: string[] },
): Promise<string[]> {
  if (campaignIds.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    select g.id from outbound.campaigns as g
    where g.company_id = ${companyId} and g.id = any (${campaignIds}::uuid[])`;
  return rows.map(({ id }) => id);
}

/** A member of an audience, as `outbound.audience_rows` returns it. */
export interface AudienceRow {
  contact_id: string;
  is_gone: boolean;
  is_opted_out: boolean;
  name: string | null;
  language: string | null;
  timezone: string | null;
  country: string | null;
  attributes: Record<string, unknown> | null;
  number: string | null;
  user_id: string | null;
  email: string | null;
}

/** Returns what a message to each of the contacts may use, in their order. */
export async function readAudienceRows(
  sql: Sql,
  { companyId, ids, channel, isMarketing }: {
    companyId: string;
    ids: string[];
    channel: AudienceChannel;
    isMarketing: boolean;
  },
): Promise<AudienceRow[]> {
  return await sql<AudienceRow[]>`
    select * from outbound.audience_rows(${companyId}, ${ids}::uuid[], ${channel}, ${isMarketing})`;
}

/** Returns the members of some batches of an upload, in their order. */
export async function readMembers(
  sql: Sql,
  { companyId, uploadId, after, batches }: UploadIds & { after: number; batches: number },
): Promise<string[]> {
  const rows = await sql<{ contact_ids: string[] }[]>`
    select m.contact_ids from outbound.upload_members as m
    where m.company_id = ${companyId} and m.upload_id = ${uploadId} and m.batch > ${after}
    order by m.batch limit ${batches}`;
  return rows.flatMap(({ contact_ids }) => contact_ids);
}

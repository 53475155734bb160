import {
  accessKeyOf,
  erasureKeyOf,
  identitySecretOf,
  type SecretOwner,
  senderTokenOf,
  webhookSecretOf,
} from "../../crypto/seal.ts";
import type { Sql } from "../driver/connect.ts";

/** The kinds of secrets sealed with OUTBOUND_SECRETS_KEY, besides the canary. */
export const SECRET_KINDS = [
  "access_keys",
  "sender_tokens",
  "webhook_secrets",
  "erasure_keys",
  "identity_secrets",
] as const;

export type SecretKind = typeof SECRET_KINDS[number];

/** A column of sealed texts. */
export interface SealedColumn {
  kind: SecretKind;
  table: string;
  column: string;
  /** With company_id the primary key. */
  id: string;
  /** The column that rows are locked in the order of, as everywhere else. */
  lockedBy: string;
  owner(companyId: string, id: string): SecretOwner;
}

/**
 * All columns of sealed texts. Rotating a webhook's secret moves it to `old_secret_sealed`, so that column comes later: a
 * reader of both meets a text that moves meanwhile.
 */
export const SEALED_COLUMNS: SealedColumn[] = [
  {
    kind: "access_keys",
    table: "outbound.api_keys",
    column: "key_sealed",
    id: "id",
    lockedBy: "key_hash",
    owner: accessKeyOf,
  },
  {
    kind: "sender_tokens",
    table: "outbound.senders",
    column: "token_sealed",
    id: "id",
    lockedBy: "id",
    owner: senderTokenOf,
  },
  ...[["outbound.webhooks", "company_id"], ["outbound.webhook_endpoints", "id"]].flatMap(([table, id]) =>
    ["secret_sealed", "old_secret_sealed"].map((column): SealedColumn => ({
      kind: "webhook_secrets",
      table: table!,
      column,
      id: id!,
      lockedBy: id!,
      owner: webhookSecretOf,
    }))
  ),
  {
    kind: "erasure_keys",
    table: "outbound.contact_rules",
    column: "erasure_key_sealed",
    id: "company_id",
    lockedBy: "company_id",
    owner: erasureKeyOf,
  },
  {
    kind: "identity_secrets",
    table: "outbound.identity_secrets",
    column: "secret_sealed",
    id: "company_id",
    lockedBy: "company_id",
    owner: identitySecretOf,
  },
];

/** Counts the sealed texts of a column by the id of the key they are sealed with; null for texts that name no key. */
export async function countSealed(
  sql: Sql,
  { table, column }: SealedColumn,
): Promise<{ key_id: string | null; count: number }[]> {
  return await sql<{ key_id: string | null; count: number }[]>`
      select substring(${sql(column)} from '^([0-9a-f]{8})[.]') as key_id, count(*)::int
      from ${sql(table)} where ${sql(column)} is not null group by 1 order by 1`;
}

/** Returns the id of the key that the canary is sealed with; undefined when there is no canary yet. */
export async function readCanaryKeyId(sql: Sql): Promise<string | null | undefined> {
  const [canary] = await sql<{ key_id: string | null }[]>`
    select substring(value #>> '{}' from '^([0-9a-f]{8})[.]') as key_id
    from outbound.settings where name = 'secrets_canary'`;
  return canary?.key_id;
}

/** One sealed text and where it is. */
export interface SealedRow {
  company_id: string;
  id: string;
  sealed: string;
}

/** Returns the next `limit` rows after `after` that are sealed with another key than `keyId`, in the order of their ids. */
export async function readSealedOtherwise(
  sql: Sql,
  { table, column, id }: SealedColumn,
  { keyId, after, limit }: { keyId: string; after: SealedRow | undefined; limit: number },
): Promise<SealedRow[]> {
  return await sql<SealedRow[]>`
    select company_id, ${sql(id)} as id, ${sql(column)} as sealed
    from ${sql(table)}
    where not starts_with(${sql(column)}, ${`${keyId}.`})
      ${after ? sql`and (company_id, ${sql(id)}) > (${after.company_id}, ${after.id})` : sql``}
    order by company_id, ${sql(id)} limit ${limit}`;
}

/** Replaces texts by `resealed` where they have not changed since they were read. Returns how many it replaced. */
export async function replaceSealed(
  sql: Sql,
  { table, column, id, lockedBy }: SealedColumn,
  rows: (SealedRow & { resealed: string })[],
): Promise<number> {
  const replaced = await sql`
    with given as (
      select * from unnest(
        ${rows.map(({ company_id }) => company_id)}::uuid[], ${rows.map((row) => row.id)}::uuid[],
        ${rows.map(({ sealed }) => sealed)}::text[], ${rows.map(({ resealed }) => resealed)}::text[]
      ) as g(company_id, id, sealed, resealed)
    ),
    locked as (
      select t.company_id, t.${sql(id)} as id, given.resealed
      from given join ${sql(table)} as t on t.company_id = given.company_id and t.${sql(id)} = given.id
      where t.${sql(column)} = given.sealed
      order by t.${sql(lockedBy)} for no key update of t
    )
    update ${sql(table)} as t set ${sql(column)} = locked.resealed
    from locked where t.company_id = locked.company_id and t.${sql(id)} = locked.id`;
  return replaced.count;
}

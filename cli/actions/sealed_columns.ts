import {
  accessKeyOf,
  type SecretOwner,
  senderTokenOf,
  webhookSecretOf,
} from "../../supabase/functions/_shared/crypto/secret_owner.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";

/** What is sealed with SECRETS_KEY, besides the canary. */
export const SECRET_KINDS = ["access_keys", "sender_tokens", "webhook_secrets"] as const;

export type SecretKind = typeof SECRET_KINDS[number];

/** A column of sealed texts. */
export interface SealedColumn {
  kind: SecretKind;
  table: string;
  column: string;
  /** With company_id the primary key. */
  id: string;
  /** What rows are locked by, as everywhere else. */
  lockedBy: string;
  owner(companyId: string, id: string): SecretOwner;
}

/**
 * All of them. A webhook's secret moves to `old_secret_sealed` when it is rotated, so that column comes later: a text that
 * moves meanwhile is met there.
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
  ...["secret_sealed", "old_secret_sealed"].map((column): SealedColumn => ({
    kind: "webhook_secrets",
    table: "outbound.webhooks",
    column,
    id: "company_id",
    lockedBy: "company_id",
    owner: webhookSecretOf,
  })),
];

/** One sealed text and where it is. */
export interface SealedRow {
  companyId: string;
  id: string;
  sealed: string;
}

/** The next `limit` rows after `after` that are not sealed with the key `keyId`, in the order of their ids. */
export async function readSealedOtherwise(
  sql: Sql,
  { table, column, id }: SealedColumn,
  { keyId, after, limit }: { keyId: string; after: SealedRow | undefined; limit: number },
): Promise<SealedRow[]> {
  return await sql<SealedRow[]>`
    select company_id as "companyId", ${sql(id)} as id, ${sql(column)} as sealed
    from ${sql(table)}
    where not starts_with(${sql(column)}, ${`${keyId}.`})
      ${after ? sql`and (company_id, ${sql(id)}) > (${after.companyId}, ${after.id})` : sql``}
    order by company_id, ${sql(id)} limit ${limit}`;
}

/** Puts `sealedAnew` in place of the texts read, where they still stand. Returns how many did. */
export async function replaceSealed(
  sql: Sql,
  { table, column, id, lockedBy }: SealedColumn,
  rows: (SealedRow & { sealedAnew: string })[],
): Promise<number> {
  const replaced = await sql`
    with given as (
      select * from unnest(
        ${rows.map(({ companyId }) => companyId)}::uuid[], ${rows.map((row) => row.id)}::uuid[],
        ${rows.map(({ sealed }) => sealed)}::text[], ${rows.map(({ sealedAnew }) => sealedAnew)}::text[]
      ) as g(company_id, id, sealed, sealed_anew)
    ),
    locked as (
      select t.company_id, t.${sql(id)} as id, given.sealed_anew
      from given join ${sql(table)} as t on t.company_id = given.company_id and t.${sql(id)} = given.id
      where t.${sql(column)} = given.sealed
      order by t.${sql(lockedBy)} for no key update of t
    )
    update ${sql(table)} as t set ${sql(column)} = locked.sealed_anew
    from locked where t.company_id = locked.company_id and t.${sql(id)} = locked.id`;
  return replaced.count;
}

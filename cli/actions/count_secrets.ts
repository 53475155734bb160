import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { SEALED_COLUMNS, SECRET_KINDS, type SecretKind } from "./sealed_columns.ts";

/** How much is sealed with one key. */
export interface SecretsOfKey extends Record<SecretKind, number> {
  /** Null for what names no key. */
  key_id: string | null;
  /** `seals` for the first key of SECRETS_KEY, `opens` for its others, `missing` for a key it does not have. */
  state: "seals" | "opens" | "missing";
  /** The text that shows at start whether SECRETS_KEY is the right one. */
  canary: boolean;
}

/** Counts the sealed secrets by the key they are sealed with: those of SECRETS_KEY in its order, then others. */
export async function countSecrets(
  { sql, sealer: { keyId, keyIds } }: { sql: Sql; sealer: Pick<Sealer, "keyId" | "keyIds"> },
): Promise<SecretsOfKey[]> {
  const found = new Map<string | null, SecretsOfKey>();
  const ofKey = (key_id: string | null) => {
    const state = key_id === keyId ? "seals" : keyIds.includes(key_id ?? "") ? "opens" : "missing";
    const none = { ...noneOfEachKind(), canary: false };
    const entry = found.get(key_id) ?? { key_id, state, ...none };
    found.set(key_id, entry);
    return entry;
  };
  keyIds.forEach(ofKey);
  for (const { kind, table, column } of SEALED_COLUMNS) {
    const rows = await sql<{ keyId: string | null; count: number }[]>`
      select substring(${sql(column)} from '^([0-9a-f]{8})[.]') as "keyId", count(*)::int
      from ${sql(table)} where ${sql(column)} is not null group by 1 order by 1`;
    for (const row of rows) ofKey(row.keyId)[kind] += row.count;
  }
  const [canary] = await sql<{ keyId: string | null }[]>`
    select substring(value #>> '{}' from '^([0-9a-f]{8})[.]') as "keyId"
    from outbound.settings where name = 'secrets_canary'`;
  if (canary) ofKey(canary.keyId).canary = true;
  return [...found.values()];
}

/** A zero for each kind, to count up from. */
export function noneOfEachKind(): Record<SecretKind, number> {
  return Object.fromEntries(SECRET_KINDS.map((kind) => [kind, 0])) as Record<SecretKind, number>;
}

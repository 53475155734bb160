import { sealCanary } from "../../supabase/functions/_shared/access/secrets_canary.ts";
import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { replaceSecretsCanary } from "../../supabase/functions/_shared/db/settings.ts";
import { countSecrets, noneOfEachKind } from "./count_secrets.ts";
import {
  readSealedOtherwise,
  replaceSealed,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedRow,
  SECRET_KINDS,
  type SecretKind,
} from "./sealed_columns.ts";

/** Small enough that nobody waits long for a row. */
const ROWS_PER_BATCH = 200;

/** A secret that no key of SECRETS_KEY opens. */
export interface UnreadableSecret {
  kind: SecretKind;
  companyId: string;
  /** Of the access key or sender; a webhook's is its company's. */
  id: string;
  reason: string;
}

/** What a rotation did, and what is left. */
export interface RotatedSecrets {
  /** The first key of SECRETS_KEY. */
  keyId: string;
  /** How many were sealed again, of each kind. */
  sealed: Record<SecretKind, number>;
  /** How many are still sealed with another key, those that cannot be opened included. */
  remaining: number;
  unreadable: UnreadableSecret[];
  /** Nothing is sealed with another key. */
  oldKeysMayBeDropped: boolean;
}

export interface RotateContext {
  sql: Sql;
  sealer: Sealer;
  onProgress?(done: number, total: number): void;
}

/**
 * Seals every secret again with the first key of SECRETS_KEY; what is sealed with it already is left alone. May run beside
 * the service: a text is replaced only where it is still the one read. The canary comes last, and only when nothing else
 * needs an old key: until then no process starts without one.
 *
 * @throws {CommandError} `not_configured` when SECRETS_KEY does not have the database's key
 */
export async function rotateSecrets(context: RotateContext): Promise<RotatedSecrets> {
  const { sql, sealer: { keyId } } = context;
  const canary = await sealCanary(context.sealer);
  const sealed = noneOfEachKind();
  const unreadable: UnreadableSecret[] = [];
  const total = sumOf((await countSecrets(context)).filter(({ state }) => state !== "seals"));
  let done = 0;
  for (const column of SEALED_COLUMNS) {
    for await (const batch of batchesOf(context, column)) {
      sealed[column.kind] += batch.sealed;
      unreadable.push(...batch.unreadable);
      done += batch.rows;
      context.onProgress?.(Math.min(done, total), total);
    }
  }
  const counts = await countSecrets(context);
  const remaining = sumOf(counts.filter(({ state }) => state !== "seals"));
  if (sumOf(counts.filter(({ state }) => state === "opens")) === 0) await replaceSecretsCanary(sql, canary);
  return { keyId, sealed, remaining, unreadable, oldKeysMayBeDropped: remaining === 0 };
}

async function* batchesOf(
  { sql, sealer }: RotateContext,
  column: SealedColumn,
): AsyncGenerator<{ rows: number; sealed: number; unreadable: UnreadableSecret[] }> {
  let rows: SealedRow[];
  let after: SealedRow | undefined;
  do {
    const { keyId } = sealer;
    rows = await readSealedOtherwise(sql, column, { keyId, after, limit: ROWS_PER_BATCH });
    after = rows.at(-1);
    const opened = await Promise.all(rows.map((row) => sealAgain(sealer, column, row)));
    const anew = opened.filter((each) => "sealedAnew" in each);
    const sealed = anew.length === 0 ? 0 : await replaceSealed(sql, column, anew);
    yield { rows: rows.length, sealed, unreadable: opened.filter((each) => "reason" in each) };
  } while (rows.length === ROWS_PER_BATCH);
}

async function sealAgain(
  sealer: Sealer,
  { kind, owner }: SealedColumn,
  row: SealedRow,
): Promise<SealedRow & { sealedAnew: string } | UnreadableSecret> {
  const { companyId, id, sealed } = row;
  const of = owner(companyId, id);
  const plain = await sealer.open(sealed, of).catch((error: Error) => error);
  if (plain instanceof Error) return { kind, companyId, id, reason: plain.message };
  return { ...row, sealedAnew: await sealer.seal(plain, of) };
}

function sumOf(counts: Awaited<ReturnType<typeof countSecrets>>): number {
  return counts.flatMap((count) => SECRET_KINDS.map((kind) => count[kind])).reduce((sum, n) => sum + n, 0);
}

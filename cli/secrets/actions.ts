import { sealCanary } from "../../supabase/functions/_shared/access/secrets_canary.ts";
import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  countSealed,
  readCanaryKeyId,
  readSealedOtherwise,
  replaceSealed,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedRow,
  SECRET_KINDS,
  type SecretKind,
} from "../../supabase/functions/_shared/db/access/sealed_secrets.ts";
import { replaceSecretsCanary } from "../../supabase/functions/_shared/db/queue/settings.ts";

/** How many secrets one key seals. */
export interface SecretsOfKey extends Record<SecretKind, number> {
  /** Null for texts that name no key. */
  key_id: string | null;
  /** `seals` for the first key of OUTBOUND_SECRETS_KEY, `opens` for its others, `missing` for a key it does not have. */
  state: "seals" | "opens" | "missing";
  /** Whether it seals the canary, which shows at start whether OUTBOUND_SECRETS_KEY is the right one. */
  canary: boolean;
}

/** Counts the sealed secrets by the key they are sealed with: those of OUTBOUND_SECRETS_KEY in its order, then others. */
export async function countSecrets(
  { sql, sealer: { keyId, keyIds } }: { sql: Sql; sealer: Pick<Sealer, "keyId" | "keyIds"> },
): Promise<SecretsOfKey[]> {
  const found = new Map<string | null, SecretsOfKey>();
  const ofKey = (key_id: string | null) => {
    const state = key_id === keyId ? "seals" : keyIds.includes(key_id ?? "") ? "opens" : "missing";
    const none = { ...ofEachKind(() => 0), canary: false };
    const entry = found.get(key_id) ?? { key_id, state, ...none };
    found.set(key_id, entry);
    return entry;
  };
  keyIds.forEach(ofKey);
  for (const column of SEALED_COLUMNS) {
    for (const row of await countSealed(sql, column)) ofKey(row.key_id)[column.kind] += row.count;
  }
  const canaryKeyId = await readCanaryKeyId(sql);
  if (canaryKeyId !== undefined) ofKey(canaryKeyId).canary = true;
  return [...found.values()];
}

/** Small enough that no other process waits long for a row. */
const ROWS_PER_BATCH = 200;

/** A secret that no key of OUTBOUND_SECRETS_KEY opens. */
export interface UnreadableSecret {
  kind: SecretKind;
  companyId: string;
  /** Of the access key or sender; a webhook's is its company's. */
  id: string;
  reason: string;
}

/** The result of a rotation. */
export interface RotatedSecrets {
  /** The first key of OUTBOUND_SECRETS_KEY. */
  keyId: string;
  /** How many secrets of each kind it resealed. */
  sealed: Record<SecretKind, number>;
  /** How many are still sealed with another key, unreadable ones included. */
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
 * Reseals every secret with the first key of OUTBOUND_SECRETS_KEY, except those sealed with it already. May run beside the service:
 * it replaces a text only where it is still the one read. The canary comes last, and only when nothing else needs an old
 * key: until then no process starts without one.
 *
 * @throws {CommandError} `not_configured` when OUTBOUND_SECRETS_KEY does not have the database's key
 */
export async function rotateSecrets(context: RotateContext): Promise<RotatedSecrets> {
  const { sql, sealer: { keyId } } = context;
  const canary = await sealCanary(context.sealer);
  const sealed = ofEachKind(() => 0);
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

/** Adds up what was done in several cells. */
export function addUp(rotations: RotatedSecrets[]): RotatedSecrets {
  return rotations.reduce((sum, { sealed, remaining, unreadable, oldKeysMayBeDropped }) => ({
    ...sum,
    sealed: ofEachKind((kind) => sum.sealed[kind] + sealed[kind]),
    remaining: sum.remaining + remaining,
    unreadable: [...sum.unreadable, ...unreadable],
    oldKeysMayBeDropped: sum.oldKeysMayBeDropped && oldKeysMayBeDropped,
  }));
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
    const opened = await Promise.all(rows.map((row) => reseal(sealer, column, row)));
    const resealed = opened.filter((each) => "resealed" in each);
    const sealed = resealed.length === 0 ? 0 : await replaceSealed(sql, column, resealed);
    yield { rows: rows.length, sealed, unreadable: opened.filter((each) => "reason" in each) };
  } while (rows.length === ROWS_PER_BATCH);
}

async function reseal(
  sealer: Sealer,
  { kind, owner }: SealedColumn,
  row: SealedRow,
): Promise<SealedRow & { resealed: string } | UnreadableSecret> {
  const { company_id: companyId, id, sealed } = row;
  const of = owner(companyId, id);
  const plain = await sealer.open(sealed, of).catch((error: Error) => error);
  if (plain instanceof Error) return { kind, companyId, id, reason: plain.message };
  return { ...row, resealed: await sealer.seal(plain, of) };
}

function ofEachKind(count: (kind: SecretKind) => number): Record<SecretKind, number> {
  return Object.fromEntries(SECRET_KINDS.map((kind) => [kind, count(kind)])) as Record<SecretKind, number>;
}

function sumOf(counts: SecretsOfKey[]): number {
  return counts.flatMap((count) => SECRET_KINDS.map((kind) => count[kind])).reduce((sum, n) => sum + n, 0);
}

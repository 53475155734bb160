import { findGoodKeys } from "../db/access/keys.ts";
import type { Sql } from "../db/driver/connect.ts";
import type { KnownKeys } from "./presented_keys.ts";

/** How often the keys of such addresses are looked up, and how long their holders wait before a retry. */
export const LOOKUP_S = 1;
/** The keys of one look-up. Beyond, a new key takes the place of any other. */
const MAX_KEYS = 1000;

/** A key that was not looked up lately. */
export interface UnseenKey {
  hash: string;
  text: string;
}

/**
 * Looks up keys from addresses that present too many unknown ones. Those requests are refused without a query; all keys
 * of a second are looked up together, so that a good key passes with its next attempt, and a flood costs one query.
 */
export interface KeyLookups {
  /** @param presented the key, as `knownKeys` knows it */
  request(presented: string, key: UnseenKey): void;
}

/** @param clock milliseconds that only go forward */
export function createKeyLookups(
  sql: Sql,
  knownKeys: KnownKeys,
  clock: () => number = () => performance.now(),
): KeyLookups {
  let waiting = new Map<string, UnseenKey>();
  let lastAt = -Infinity;
  return {
    request(presented, key) {
      if (waiting.size >= MAX_KEYS && !waiting.has(presented)) makeRoom(waiting);
      waiting.set(presented, key);
      if (clock() - lastAt < LOOKUP_S * 1000) return;
      lastAt = clock();
      const keys = waiting;
      waiting = new Map();
      // A database that fails is for the requests to report that it serves; these stay refused.
      lookUp(sql, knownKeys, keys).catch(() => {});
    },
  };
}

function makeRoom(keys: Map<string, UnseenKey>): void {
  const index = Math.floor(Math.random() * keys.size);
  keys.delete([...keys.keys()][index]!);
}

async function lookUp(sql: Sql, knownKeys: KnownKeys, keys: Map<string, UnseenKey>): Promise<void> {
  const unseen = [...keys.values()];
  const good = await findGoodKeys(sql, {
    hashes: unseen.map(({ hash }) => hash),
    texts: unseen.map(({ text }) => text),
  });
  for (const [presented, { hash, text }] of keys) {
    knownKeys.record(presented, good.has(hash) || good.has(text) ? "good" : "unknown");
  }
}

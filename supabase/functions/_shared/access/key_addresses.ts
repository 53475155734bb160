import { createExpiringMap } from "../concurrency/expiring_cache.ts";
import { updateKeyAddress } from "../db/access/keys.ts";
import type { Sql } from "../db/driver/connect.ts";
import type { KeyState } from "../db/queue/send_context.ts";

const RECORDED_MS = 60_000;
const MAX_KEYS = 10_000;

/** The addresses that keys are used from. */
export interface KeyAddresses {
  /** Records where a request of a key came from: the first of a minute and process, and only if the address is new. */
  record(key: Pick<KeyState, "company_id" | "api_key_id">, address: string | undefined): void;
}

/** Makes an empty memory for one process. */
export function createKeyAddresses(sql: Sql): KeyAddresses {
  const recorded = createExpiringMap<string, string>({ ttlMs: RECORDED_MS, maxEntries: MAX_KEYS });
  return {
    record({ company_id: companyId, api_key_id: keyId }, address) {
      if (address === undefined || recorded.get(keyId) !== undefined) return;
      recorded.set(keyId, address);
      // A database that fails is for the requests to report that it serves.
      updateKeyAddress(sql, { companyId, keyId, address }).catch(() => {});
    },
  };
}

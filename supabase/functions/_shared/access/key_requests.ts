import { createExpiringMap } from "../concurrency/expiring_cache.ts";
import { createWakeSignal } from "../concurrency/wake_signal.ts";
import {
  insertKeyRequests,
  type KeyRequest,
  type RequestBodies,
  type SampledRequest,
} from "../db/access/key_requests.ts";
import { updateKeyAddress } from "../db/access/keys.ts";
import type { Sql } from "../db/driver/connect.ts";

/** Of each key, this many requests that succeed and this many that are refused are all recorded, per minute and process. */
const ALL_PER_MINUTE = 60;
/** Beyond, one of so many is. */
const SAMPLED = 100;
const MAX_KEYS = 10_000;
/** Requests of so long are stored together. */
const STORED_AFTER_MS = 1000;
/** Beyond, requests are not recorded until the database has taken these. */
const MAX_WAITING = 5000;

/** A company counts as one that keeps bodies for so long after the last look. */
const RECORDED_MS = 60_000;

/** Facts of a request that are found out only where it is recorded. */
export interface KeyRequestFacts {
  /** The caller's address, which is recorded with the first request of a key's minute. */
  address(): string | undefined;
  /** The bodies, for a company that keeps them. */
  bodies(): Promise<RequestBodies | undefined>;
}

/** Records the requests that keys make, and where they come from, beside the requests themselves. */
export interface KeyRequests {
  record(request: KeyRequest, facts: KeyRequestFacts): void;
  /** Stores what waits now, and what comes later without delay. */
  end(): void;
}

interface Waiting extends Omit<SampledRequest, "bodies"> {
  bodies: Promise<RequestBodies | undefined> | undefined;
}

async function withBodies({ bodies, ...request }: Waiting): Promise<SampledRequest> {
  return { ...request, bodies: await bodies };
}

/**
 * Makes an empty memory for one process. A request costs no write of its own: those of a second are stored together, and a
 * process that is killed loses them. Which companies keep bodies is learned by storing, so that no request asks for it.
 *
 * @param inBackground keeps the process alive until they are stored, and logs a failure
 */
export function createKeyRequests(sql: Sql, inBackground: (work: Promise<unknown>) => void): KeyRequests {
  const minutes = createExpiringMap<string, { fine: number; refused: number }>({
    ttlMs: 60_000,
    maxEntries: MAX_KEYS,
  });
  const recording = createExpiringMap<string, true>({ ttlMs: RECORDED_MS, maxEntries: MAX_KEYS });
  const ending = createWakeSignal();
  let waiting: Waiting[] = [];
  let addresses = new Map<string, { companyId: string; keyId: string; address: string }>();
  let isStoring = false;
  let hasEnded = false;

  async function store(): Promise<void> {
    try {
      while (waiting.length > 0) {
        if (!hasEnded) await ending.wait(STORED_AFTER_MS);
        const [requests, origins] = [waiting, addresses];
        waiting = [];
        addresses = new Map();
        const recorded = await insertKeyRequests(sql, await Promise.all(requests.map(withBodies)));
        for (const { companyId } of requests) recording.delete(companyId);
        for (const companyId of recorded) recording.set(companyId, true);
        for (const origin of origins.values()) await updateKeyAddress(sql, origin);
      }
    } finally {
      isStoring = false;
    }
  }

  /** How many requests of its key this one stands for; 0 for one that is not recorded. */
  function weigh({ keyId, status }: KeyRequest): { standsFor: number; isFirst: boolean } {
    const known = minutes.get(keyId);
    const minute = known ?? { fine: 0, refused: 0 };
    if (known === undefined) minutes.set(keyId, minute);
    const count = ++minute[status < 400 ? "fine" : "refused"];
    const standsFor = count <= ALL_PER_MINUTE ? 1 : (count - ALL_PER_MINUTE) % SAMPLED === 0 ? SAMPLED : 0;
    return { standsFor, isFirst: known === undefined };
  }

  return {
    record(request, facts) {
      const { standsFor, isFirst } = weigh(request);
      if (standsFor === 0 || waiting.length >= MAX_WAITING) return;
      const { companyId, keyId } = request;
      const bodies = recording.get(companyId) ? facts.bodies() : undefined;
      waiting.push({ ...request, standsFor, bodies });
      const address = isFirst ? facts.address() : undefined;
      if (address !== undefined) addresses.set(keyId, { companyId, keyId, address });
      if (isStoring) return;
      isStoring = true;
      inBackground(store());
    },
    end() {
      hasEnded = true;
      ending.notify();
    },
  };
}

import { createExpiringMap } from "../expiring_map.ts";
import type { WindowCounter } from "../window_counter.ts";

/** Wrong credentials of one address per minute, before it has to wait. An office is one address. */
export const MAX_REFUSALS = 600;

/** A large body costs as much as several refusals: all of it was read. */
const BYTES_PER_REFUSAL = 64 * 1024;

const TRUST_MS = 3_600_000;
const MAX_ADDRESSES = 10_000;

/** Which addresses present wrong credentials. In memory: a refusal must cost nothing. */
export interface RefusedAddresses {
  /**
   * Counts a wrong credential; an address that the runtime does not show is not counted.
   *
   * @param bytes of the body that was read before it showed. @default 0
   */
  count(address: string | undefined, bytes?: number): void;
  /** Whole seconds until the address may try again; 0 when it may now. */
  waitS(address: string | undefined): number;
  /** Notes that a platform's signature from this address was right. */
  trust(address: string | undefined): void;
  /** Whether one was within the hour. */
  isTrusted(address: string | undefined): boolean;
}

/** Makes an empty memory that counts in `perMinute`. */
export function createRefusedAddresses(perMinute: WindowCounter): RefusedAddresses {
  const trusted = createExpiringMap<string, true>({ ttlMs: TRUST_MS, maxEntries: MAX_ADDRESSES });
  const subjectOf = (address: string) => `refused:${address}`;
  const isTrusted = (address: string | undefined) => address !== undefined && trusted.get(address) === true;
  return {
    count(address, bytes = 0) {
      if (address !== undefined) perMinute.add(subjectOf(address), 1 + bytes / BYTES_PER_REFUSAL);
    },
    waitS(address) {
      return address === undefined ? 0 : perMinute.waitS(subjectOf(address), MAX_REFUSALS);
    },
    trust(address) {
      if (address !== undefined) trusted.set(address, true);
    },
    isTrusted,
  };
}

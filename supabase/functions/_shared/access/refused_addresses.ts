import { createExpiringMap } from "../expiring_map.ts";

/** Wrong credentials of one address in a window, before it has to wait. An office is one address. */
export const MAX_REFUSALS = 600;
export const REFUSAL_WINDOW_S = 60;

/** An address that proved itself is believed for this long. */
const TRUST_MS = 3_600_000;
const MAX_ADDRESSES = 10_000;

/** Which addresses present wrong credentials. In memory: a refusal must cost nothing. */
export interface RefusedAddresses {
  /**
   * Counts wrong credentials; an unknown address is not counted.
   *
   * @param cost how many. @default 1
   */
  count(address: string | undefined, cost?: number): void;
  /** Whole seconds until the address may try again; 0 when it may now. */
  waitS(address: string | undefined): number;
  /** Notes a right credential, so that the address is not limited for the next hour. */
  trust(address: string | undefined): void;
  isTrusted(address: string | undefined): boolean;
}

export function createRefusedAddresses(clock = () => performance.now()): RefusedAddresses {
  const windowMs = REFUSAL_WINDOW_S * 1000;
  const windows = createExpiringMap<string, { count: number; endsAt: number }>({
    ttlMs: windowMs,
    maxEntries: MAX_ADDRESSES,
    clock,
  });
  const trusted = createExpiringMap<string, true>({ ttlMs: TRUST_MS, maxEntries: MAX_ADDRESSES, clock });
  const isTrusted = (address: string | undefined) => address !== undefined && trusted.get(address) === true;
  return {
    count(address, cost = 1) {
      if (address === undefined) return;
      const window = windows.get(address);
      if (window) window.count += cost;
      else windows.set(address, { count: cost, endsAt: clock() + windowMs });
    },
    waitS(address) {
      if (address === undefined || isTrusted(address)) return 0;
      const window = windows.get(address);
      return window && window.count >= MAX_REFUSALS ? Math.ceil((window.endsAt - clock()) / 1000) : 0;
    },
    trust(address) {
      if (address !== undefined) trusted.set(address, true);
    },
    isTrusted,
  };
}

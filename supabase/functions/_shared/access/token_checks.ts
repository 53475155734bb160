import { createExpiringMap } from "../expiring_map.ts";

/** Tokens of one address in a window that the auth server is asked about. An office is one address. */
export const MAX_TOKEN_CHECKS = 120;
export const TOKEN_CHECK_WINDOW_S = 60;

const MAX_ADDRESSES = 10_000;

/** How often strangers make us ask the auth server. In memory, per process: a refusal must cost nothing. */
export interface TokenChecks {
  /**
   * Counts a check. Returns whole seconds until the address may have a token checked; 0 when it may now. An address that
   * the runtime does not show is not limited.
   */
  count(address: string | undefined): number;
}

export function createTokenChecks(clock = () => performance.now()): TokenChecks {
  const windowMs = TOKEN_CHECK_WINDOW_S * 1000;
  const windows = createExpiringMap<string, { count: number; endsAt: number }>({
    ttlMs: windowMs,
    maxEntries: MAX_ADDRESSES,
    clock,
  });
  return {
    count(address) {
      if (address === undefined) return 0;
      const window = windows.get(address);
      if (!window) windows.set(address, { count: 1, endsAt: clock() + windowMs });
      else if (window.count >= MAX_TOKEN_CHECKS) return Math.ceil((window.endsAt - clock()) / 1000);
      else window.count++;
      return 0;
    },
  };
}

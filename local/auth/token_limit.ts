import { AuthError } from "./errors.ts";

const BURST = 30;
const REFILL_PER_MS = 150 / (5 * 60_000);
const MAX_ADDRESSES = 10_000;

/**
 * The token bucket of Supabase Auth for `/token`: per address 30 at once and 150 in five minutes, log-ins and refreshes
 * together. It counts only addresses that requests with the secret key name in `Sb-Forwarded-For`.
 */
export class TokenLimit {
  readonly #buckets = new Map<string, { left: number; at: number }>();

  /** Takes one token from the address's bucket, or throws `over_request_rate_limit`. */
  take(address: string | undefined, now = Date.now()): void {
    if (address === undefined) return;
    const before = this.#buckets.get(address) ?? { left: BURST, at: now };
    const left = Math.min(BURST, before.left + (now - before.at) * REFILL_PER_MS);
    this.#buckets.delete(address);
    this.#buckets.set(address, { left: left >= 1 ? left - 1 : left, at: now });
    this.#evictOldest();
    if (left < 1) throw new AuthError(429, "over_request_rate_limit", "Request rate limit reached");
  }

  #evictOldest(): void {
    if (this.#buckets.size <= MAX_ADDRESSES) return;
    const [oldest] = this.#buckets.keys();
    this.#buckets.delete(oldest!);
  }
}

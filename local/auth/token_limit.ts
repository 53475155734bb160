import { AuthError } from "./auth_error.ts";

const BURST = 30;
const REFILL_PER_MS = 150 / (5 * 60_000);
const MAX_ADDRESSES = 10_000;

/**
 * The bucket of Supabase Auth for `/token`: 30 at once and 150 in five minutes for an address, log-ins and refreshes
 * together. It counts only addresses that callers with the secret key name in `Sb-Forwarded-For`.
 */
export class TokenLimit {
  readonly #buckets = new Map<string, { left: number; at: number }>();

  /** Takes one from the address's bucket, or throws `over_request_rate_limit`. */
  take(address: string | undefined, now = Date.now()): void {
    if (address === undefined) return;
    const before = this.#buckets.get(address) ?? { left: BURST, at: now };
    const left = Math.min(BURST, before.left + (now - before.at) * REFILL_PER_MS);
    this.#buckets.delete(address);
    this.#buckets.set(address, { left: left >= 1 ? left - 1 : left, at: now });
    this.#forgetOldest();
    if (left < 1) throw new AuthError(429, "over_request_rate_limit", "Request rate limit reached");
  }

  #forgetOldest(): void {
    if (this.#buckets.size <= MAX_ADDRESSES) return;
    const [oldest] = this.#buckets.keys();
    this.#buckets.delete(oldest!);
  }
}

/**
 * Lets `burst` through at once and `perSecond` from then on, for each key by itself. Keys that are full again
 * are forgotten now and then, so any number of keys may pass through.
 */
export class TokenBuckets {
  readonly #buckets = new Map<string, { left: number; at: number }>();
  #sweepAt = 1024;

  /** Takes one token of `key`; false when there is none. `now` in unix milliseconds. */
  take(key: string, limit: { burst: number; perSecond: number }, now: number): boolean {
    const bucket = this.#buckets.get(key) ?? { left: limit.burst, at: now };
    const left = Math.min(limit.burst, bucket.left + ((now - bucket.at) / 1000) * limit.perSecond);
    const taken = left >= 1;
    this.#buckets.set(key, { left: taken ? left - 1 : left, at: now });
    if (this.#buckets.size > this.#sweepAt) this.#sweep(limit, now);
    return taken;
  }

  #sweep({ burst, perSecond }: { burst: number; perSecond: number }, now: number): void {
    for (const [key, { left, at }] of this.#buckets) {
      if (left + ((now - at) / 1000) * perSecond >= burst) this.#buckets.delete(key);
    }
    this.#sweepAt = Math.max(1024, this.#buckets.size * 2);
  }
}

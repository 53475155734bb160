import { PlatformError } from "../http/platform_error.ts";
import type { SandboxNumber } from "../options.ts";
import type { Settings } from "../settings.ts";

/** The platform's rate, per second, for a number that was not upgraded. */
const DEFAULT_RATE = 80;
/** One message every six seconds, up to 45 borrowed from the future. */
const PAIR_LIMIT = { burst: 45, perSecond: 1 / 6 };

/** The platform's limits on sending: 130429 for a number that sends too fast, 131056 for a pair. */
export class SendLimits {
  readonly #numbers = new TokenBuckets();
  readonly #pairs = new TokenBuckets();

  constructor(private readonly settings: () => Settings) {}

  /** Counts one message or throws. `to` in digits, `now` in unix milliseconds. */
  check(number: SandboxNumber, to: string, now: number): void {
    const rate = this.settings().rate_per_second ?? number.ratePerSecond ?? DEFAULT_RATE;
    const id = number.phoneNumberId;
    if (rate > 0 && !this.#numbers.take(id, { burst: rate, perSecond: rate }, now)) {
      throw new PlatformError(
        130429,
        "Message failed to send because there were too many messages sent " +
          "from this phone number in a short period of time",
      );
    }
    if (this.settings().pair_limit && !this.#pairs.take(`${id}:${to}`, PAIR_LIMIT, now)) {
      throw new PlatformError(
        131056,
        "Too many messages sent from this phone number to the same phone number " +
          "in a short period of time",
      );
    }
  }
}

/**
 * Token buckets by key: `burst` at once, then `perSecond`. Full buckets are dropped now and then, so the number of keys
 * is not limited.
 */
export class TokenBuckets {
  readonly #buckets = new Map<string, { left: number; at: number }>();
  #sweepAt = 1024;

  /** Takes one token of `key`; false when none is left. `now` in unix milliseconds. */
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

const WINDOW_MS = 24 * 60 * 60 * 1000;

/** Unix milliseconds at which people last wrote to a number: for 24 hours after, it may send them more than templates. */
export class ServiceWindows {
  readonly #openedAt = new Map<string, number>();

  /** `person` in digits, `now` in unix milliseconds. */
  open(phoneNumberId: string, person: string, now: number): void {
    this.#openedAt.set(`${phoneNumberId}:${person}`, now);
  }

  /** Closes all windows. */
  clear(): void {
    this.#openedAt.clear();
  }

  isOpen(phoneNumberId: string, person: string, now: number): boolean {
    return now - (this.#openedAt.get(`${phoneNumberId}:${person}`) ?? -Infinity) < WINDOW_MS;
  }
}

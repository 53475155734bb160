import { PlatformError } from "../errors/platform_error.ts";
import type { SandboxNumber } from "../options.ts";
import type { Settings } from "../settings.ts";
import { TokenBuckets } from "./token_bucket.ts";

/** What the platform gives a number that was not upgraded. */
const DEFAULT_RATE = 80;
/** One message every six seconds, up to 45 borrowed from the future. */
const PAIR_LIMIT = { burst: 45, perSecond: 1 / 6 };

/** The platform's limits on sending: 130429 for a number that is too fast, 131056 for a pair. */
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

import { AppError } from "../errors.ts";

/** Tokens of one address that the auth server is asked about. An address may be an office. */
export const MAX_CHECKS_PER_ADDRESS = 120;
const WINDOW_S = 60;
const MAX_ADDRESSES = 10_000;

/** Limits how often strangers make us ask the auth server. In memory, per process: a refusal must cost nothing. */
export class TokenCheckLimit {
  readonly #windows = new Map<string, { endsAt: number; checks: number }>();

  /** Counts a check, or throws `rate_limit_exceeded`. An address that the runtime does not show is not limited. */
  count(address: string | undefined, now: Date): void {
    if (address === undefined) return;
    const window = this.#window(address, now.getTime());
    if (window.checks >= MAX_CHECKS_PER_ADDRESS) throw tooManyChecks(window.endsAt, now);
    window.checks++;
  }

  #window(address: string, now: number): { endsAt: number; checks: number } {
    const open = this.#windows.get(address);
    if (open && open.endsAt > now && open.endsAt <= now + WINDOW_S * 1000) return open;
    const window = { endsAt: now + WINDOW_S * 1000, checks: 0 };
    this.#windows.delete(address);
    if (this.#windows.size >= MAX_ADDRESSES) this.#windows.delete(this.#windows.keys().next().value!);
    this.#windows.set(address, window);
    return window;
  }
}

function tooManyChecks(endsAt: number, now: Date): AppError {
  const waitS = Math.ceil((endsAt - now.getTime()) / 1000);
  return new AppError("rate_limit_exceeded", `Too many requests; wait ${waitS} s`, {
    retryAfter: waitS,
    details: {
      limit: MAX_CHECKS_PER_ADDRESS,
      window: `${WINDOW_S}s`,
      reset_time: new Date(endsAt).toISOString(),
    },
  });
}

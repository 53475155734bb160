import type { VoiceAccount } from "../voice_accounts.ts";
import type { VoiceSettings } from "../voice_settings.ts";

/** Counts the concurrent calls of each account. */
export class CallSlots {
  readonly #accounts = new Map<string, { active: number; most_at_once: number }>();
  #active = 0;
  #most = 0;

  /** Counts one call more. */
  open(account: string): void {
    const slots = this.of(account);
    const active = slots.active + 1;
    this.#accounts.set(account, { active, most_at_once: Math.max(slots.most_at_once, active) });
    this.#active += 1;
    this.#most = Math.max(this.#most, this.#active);
  }

  /** Counts one call less. */
  close(account: string): void {
    const slots = this.of(account);
    this.#accounts.set(account, { ...slots, active: slots.active - 1 });
    this.#active -= 1;
  }

  /** The calls now, and the maximum so far. */
  of(account: string): { active: number; most_at_once: number } {
    return this.#accounts.get(account) ?? { active: 0, most_at_once: 0 };
  }

  /** The same of all accounts together. */
  all(): { active: number; most_at_once: number } {
    return { active: this.#active, most_at_once: this.#most };
  }

  clear(): void {
    this.#active = this.#most = 0;
    this.#accounts.clear();
  }
}

/** The concurrency of an account that names none. */
const DEFAULT_CONCURRENCY = 20;

/** The number of concurrent calls an account may have. */
export function concurrencyOf(
  { settings }: { settings: VoiceSettings },
  account: VoiceAccount,
): number {
  return (settings.concurrency ?? account.concurrency ?? DEFAULT_CONCURRENCY) || Infinity;
}

/** Counts the calls an account has at a time. */
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

  /** Calls now, and the most there ever were at once. */
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

import type { SandboxCall, StoredCall } from "./call.ts";

/** Calls kept; beyond it the oldest ended ones are evicted. */
const MAX_CALLS = 50_000;

export interface CallFilter {
  /** The recipient's number, with or without "+". */
  to?: string | undefined;
  /** The caller's reference, `user_id`. */
  ref?: string | undefined;
  agent?: string | undefined;
  account?: string | undefined;
  status?: string | undefined;
  outcome?: string | undefined;
  /** Only calls accepted after the one with this id. */
  after?: string | undefined;
  limit: number;
}

/** Every call that was really made, in the order of acceptance. */
export class CallLedger {
  /** The number of calls evicted because there were too many. */
  evicted = 0;
  readonly #calls = new Map<string, StoredCall>();
  readonly #byNumber = new Map<string, StoredCall[]>();

  get size(): number {
    return this.#calls.size;
  }

  add(stored: StoredCall): void {
    const number = digits(stored.call.to);
    this.#calls.set(stored.call.id, stored);
    const calls = this.#byNumber.get(number) ?? [];
    calls.push(stored);
    this.#byNumber.delete(number);
    this.#byNumber.set(number, calls);
    if (this.#calls.size > MAX_CALLS) this.#evictOldest();
  }

  get(id: string): StoredCall | undefined {
    return this.#calls.get(id);
  }

  /** Every call kept, oldest first. */
  all(): Iterable<StoredCall> {
    return this.#calls.values();
  }

  clear(): void {
    this.#calls.clear();
    this.#byNumber.clear();
  }

  /** Calls that fit the filter, oldest first. */
  find({ to, after, limit, ...wanted }: CallFilter): SandboxCall[] {
    const pool = to === undefined ? this.#calls.values() : this.#byNumber.get(digits(to)) ?? [];
    const found: SandboxCall[] = [];
    let passed = after === undefined || !this.#calls.has(after);
    for (const { call } of pool) {
      if (found.length >= limit) break;
      if (passed && fits(call, wanted)) found.push(call);
      passed ||= call.id === after;
    }
    return found;
  }

  /** The latest calls of the numbers that contain `search`, the latest number first, each with its last `depth`. */
  phones(search: string, limit: number, depth: number): { number: string; calls: SandboxCall[] }[] {
    const numbers = [...this.#byNumber.keys()].reverse().filter((number) => number.includes(search));
    return numbers.slice(0, limit).map((number) => ({
      number,
      calls: this.#byNumber.get(number)!.slice(-depth).map(({ call }) => call),
    }));
  }

  get phoneCount(): number {
    return this.#byNumber.size;
  }

  #evictOldest(): void {
    for (const [id, { call }] of this.#calls) {
      if (call.status !== "ended") continue;
      const number = digits(call.to);
      const others = this.#byNumber.get(number)!.filter((each) => each.call.id !== id);
      this.#calls.delete(id);
      this.evicted += 1;
      if (others.length === 0) this.#byNumber.delete(number);
      else this.#byNumber.set(number, others);
      return;
    }
  }
}

function fits(
  call: SandboxCall,
  { ref, agent, account, status, outcome }: Omit<CallFilter, "limit">,
): boolean {
  return (ref === undefined || call.user_id === ref) && (agent === undefined || call.agent_id === agent) &&
    (account === undefined || call.account === account) && (status === undefined || call.status === status) &&
    (outcome === undefined || call.outcome === outcome);
}

function digits(number: string): string {
  return number.replace(/\D/g, "");
}

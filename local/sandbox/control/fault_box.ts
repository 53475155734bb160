import { seededRandom } from "../random.ts";

/** What brings a fault about: every fact it names must be so. */
export interface Rule<F> {
  match: Record<string, string | undefined>;
  /** Chance that a matching send meets the fault. */
  probability: number;
  /** The rule ends after this many hits. Absent = never. */
  times?: number | undefined;
  fault: F;
}

/** A rule that is in force, with the number of sends it has hit. */
export type ActiveFault<F> = Rule<F> & { id: string; hits: number };

/** What is known of a send; `to` in digits. */
export type SendFacts = { to: string } & Record<string, string>;

/** The faults in force. Each rule has dice of its own, seeded, so rules do not disturb each other. */
export class FaultBox<F extends object> {
  #rules: { rule: ActiveFault<F>; roll: () => number }[] = [];
  #made = 0;

  constructor(private readonly seed: number) {}

  add(rule: Rule<F>): ActiveFault<F> {
    this.#made += 1;
    const active = { ...rule, id: String(this.#made), hits: 0 };
    this.#rules.push({ rule: active, roll: seededRandom(this.seed * 1_000_003 + this.#made) });
    return active;
  }

  list(): ActiveFault<F>[] {
    return this.#rules.map(({ rule }) => rule);
  }

  /** Ends one rule, or all of them. Says how many ended. */
  remove(id?: string): number {
    const before = this.#rules.length;
    this.#rules = id === undefined ? [] : this.#rules.filter(({ rule }) => rule.id !== id);
    return before - this.#rules.length;
  }

  /** Rolls the dice for one send. All rules that hit are merged, a later one over an earlier one. */
  meet(facts: SendFacts): Partial<F> {
    const fault: Partial<F> = {};
    for (const { rule, roll } of this.#rules) {
      if (rule.hits === rule.times || !matches(rule.match, facts) || roll() >= rule.probability) continue;
      rule.hits += 1;
      Object.assign(fault, rule.fault);
    }
    return fault;
  }
}

function matches(match: Rule<unknown>["match"], facts: SendFacts): boolean {
  return Object.entries(match).every(([name, wanted]) =>
    wanted === undefined || facts[name] === (name === "to" ? wanted.replace(/\D/g, "") : wanted)
  );
}

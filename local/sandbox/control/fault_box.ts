import { seededRandom } from "../random.ts";
import type { Fault, FaultRule } from "./fault.ts";

/** A rule that is in force, with the number of sends it has hit. */
export type ActiveFault = FaultRule & { id: string; hits: number };

export interface SendFacts {
  /** Digits. */
  to: string;
  phone_number_id: string;
  template: string;
}

/** The faults in force. Each rule has dice of its own, seeded, so rules do not disturb each other. */
export class FaultBox {
  #rules: { rule: ActiveFault; roll: () => number }[] = [];
  #made = 0;

  constructor(private readonly seed: number) {}

  add(rule: FaultRule): ActiveFault {
    this.#made += 1;
    const active = { ...rule, id: String(this.#made), hits: 0 };
    this.#rules.push({ rule: active, roll: seededRandom(this.seed * 1_000_003 + this.#made) });
    return active;
  }

  list(): ActiveFault[] {
    return this.#rules.map(({ rule }) => rule);
  }

  /** Ends one rule, or all of them. Says how many ended. */
  remove(id?: string): number {
    const before = this.#rules.length;
    this.#rules = id === undefined ? [] : this.#rules.filter(({ rule }) => rule.id !== id);
    return before - this.#rules.length;
  }

  /** Rolls the dice for one send. All rules that hit are merged, a later one over an earlier one. */
  meet(facts: SendFacts): Fault {
    const fault: Fault = {};
    for (const { rule, roll } of this.#rules) {
      if (rule.hits === rule.times || !matches(rule.match, facts) || roll() >= rule.probability) continue;
      rule.hits += 1;
      Object.assign(fault, rule.fault);
    }
    return fault;
  }
}

function matches(match: FaultRule["match"], facts: SendFacts): boolean {
  return (match.to === undefined || match.to.replace(/\D/g, "") === facts.to) &&
    (match.phone_number_id === undefined || match.phone_number_id === facts.phone_number_id) &&
    (match.template === undefined || match.template === facts.template);
}

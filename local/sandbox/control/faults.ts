import type { z } from "zod";
import type { SandboxApp } from "../http/sandbox_app.ts";
import { ControlError, readControlBody } from "./control_request.ts";

/** When a fault applies: every fact that it names must match. */
export interface Rule<F> {
  match: Record<string, string | undefined>;
  /** Probability that the fault applies to a matching send. */
  probability: number;
  /** The rule ends after this many hits. Absent = never. */
  times?: number | undefined;
  fault: F;
}

/** An active rule, with the number of sends it applied to. */
export type ActiveFault<F> = Rule<F> & { id: string; hits: number };

/** The facts of a send; `to` in digits. */
export type SendFacts = { to: string } & Record<string, string>;

/** The active faults. Each rule has its own seeded random sequence, so rules do not affect each other. */
export class FaultRules<F extends object> {
  #rules: { rule: ActiveFault<F>; random: () => number }[] = [];
  #made = 0;

  constructor(private readonly seed: number) {}

  add(rule: Rule<F>): ActiveFault<F> {
    this.#made += 1;
    const active = { ...rule, id: String(this.#made), hits: 0 };
    this.#rules.push({ rule: active, random: seededRandom(this.seed * 1_000_003 + this.#made) });
    return active;
  }

  list(): ActiveFault<F>[] {
    return this.#rules.map(({ rule }) => rule);
  }

  /** Removes one rule, or all of them. Returns how many it removed. */
  remove(id?: string): number {
    const before = this.#rules.length;
    this.#rules = id === undefined ? [] : this.#rules.filter(({ rule }) => rule.id !== id);
    return before - this.#rules.length;
  }

  /** Draws the faults for one send. Merges all rules that apply, a later one over an earlier one. */
  draw(facts: SendFacts): Partial<F> {
    const fault: Partial<F> = {};
    for (const { rule, random } of this.#rules) {
      if (rule.hits === rule.times || !matches(rule.match, facts) || random() >= rule.probability) continue;
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

export interface FaultRoutes<F extends object> {
  /** The path of the routes: `/sandbox/faults` or `/sandbox/voice/faults`. */
  path: string;
  faults: FaultRules<F>;
  schema: z.ZodType<Rule<F>>;
  /** Called after every change. */
  publish: () => void;
}

/** Registers `POST`, `GET` and `DELETE {path}`, and `DELETE {path}/{id}`. */
export function registerFaultRoutes<F extends object>(app: SandboxApp, routes: FaultRoutes<F>): void {
  const { path, faults, schema, publish } = routes;
  app.get(path, (c) => c.json({ data: faults.list() }));
  app.post(path, async (c) => {
    const rule = faults.add(await readControlBody(c, schema));
    publish();
    return c.json(rule, 201);
  });
  app.delete(path, (c) => {
    const removed = faults.remove();
    publish();
    return c.json({ removed });
  });
  app.delete(`${path}/:id`, (c) => {
    const removed = faults.remove(c.req.param("id"));
    if (removed === 0) throw new ControlError(404, "There is no fault with this id");
    publish();
    return c.json({ removed });
  });
}

/** Makes a seeded source of numbers in [0, 1): the same seed returns the same sequence (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

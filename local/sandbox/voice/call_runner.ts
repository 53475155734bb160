import type { EventHub } from "../control/event_hub.ts";
import { Scheduler } from "../scheduler.ts";
import type { Journal } from "../storage/journal.ts";
import { applyStep } from "./apply_step.ts";
import type { CallPlan, StoredCall } from "./call.ts";
import type { CallLedger } from "./call_ledger.ts";
import type { CallSlots } from "./call_slots.ts";
import { eventBody } from "./event_body.ts";
import type { VoiceSettings } from "./settings.ts";
import type { VoiceWebhookSender } from "./voice_webhook_sender.ts";

/** What is due: a step of the plan of this turn, or its `telling`-th webhook. */
interface Job {
  stored: StoredCall;
  turn: number;
  step?: number;
  telling?: number;
}

export interface CallRunnerOptions {
  journal: Journal;
  ledger: CallLedger;
  slots: CallSlots;
  sender: VoiceWebhookSender;
  events: EventHub;
  settings: () => VoiceSettings;
}

/** Carries out the plans of calls: phones ring, people talk, calls end and are told by webhook. */
export class CallRunner {
  readonly #scheduler = new Scheduler<Job>((due) => this.#run(due));
  /** By call, who waits for its first webhook. */
  readonly #waiting = new Map<string, () => void>();

  constructor(private readonly options: CallRunnerOptions) {}

  /** Starts a plan, or takes it up again; tellings whose keys are in `told` are over. */
  start(stored: StoredCall, told: ReadonlySet<string> = new Set()): void {
    const { plan, turn, done } = stored;
    for (let step = done; step < plan.steps.length; step++) {
      this.#scheduler.add(plan.steps[step]!.at, { stored, turn, step });
    }
    for (const [telling, { at }] of plan.tellings.entries()) {
      if (!told.has(tellingKey(stored, telling))) this.#scheduler.add(at, { stored, turn, telling });
    }
  }

  /** Starts a plan and resolves when its first webhook was tried, at once when there is none. */
  startEarly(stored: StoredCall): Promise<void> {
    this.start(stored);
    if (stored.plan.tellings.length === 0 || !this.#mayTell()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(stored.call.id, resolve));
  }

  /** Gives a call another future, as when somebody picks up by hand. What has happened stays. */
  replan(stored: StoredCall, rest: CallPlan): void {
    const past = stored.plan.steps.slice(0, stored.done);
    stored.plan = { ...rest, steps: [...past, ...rest.steps] };
    stored.turn += 1;
    this.options.journal.write({ t: "call_plan", id: stored.call.id, turn: stored.turn, plan: stored.plan });
    this.start(stored);
  }

  clear(): void {
    this.#scheduler.clear();
    for (const resolve of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }

  close(): void {
    this.#scheduler.close();
    this.clear();
  }

  #run(due: Job[]): void {
    const live = due.filter(({ stored, turn }) =>
      turn === stored.turn && this.options.ledger.get(stored.call.id) === stored
    );
    for (const { stored, step } of live) if (step !== undefined) this.#reach(stored);
    for (const { stored, telling } of live) if (telling !== undefined) this.#tell(stored, telling);
  }

  #reach(stored: StoredCall): void {
    const at = new Date().toISOString();
    const { journal, slots } = this.options;
    const { kind } = applyStep(stored, at);
    journal.write({ t: "call_step", id: stored.call.id, at });
    if (kind === "ended") slots.close(stored.call.account);
    this.#publish(stored);
  }

  #publish({ call }: StoredCall): void {
    this.options.events.publish({ kind: "call", call: structuredClone(call) });
  }

  #tell(stored: StoredCall, telling: number): void {
    const key = tellingKey(stored, telling);
    const { type } = stored.plan.tellings[telling]!;
    const settle = (taken: boolean) => {
      const entry = { type, at: new Date().toISOString(), taken };
      stored.call.webhooks.push(entry);
      this.options.journal.write({ t: "call_told", id: stored.call.id, key, entry });
      this.#publish(stored);
      this.#waiting.get(stored.call.id)?.();
      this.#waiting.delete(stored.call.id);
    };
    if (this.#mayTell()) {
      this.options.sender.enqueue({ body: () => eventBody(stored, type), settled: settle });
    } else settle(false);
  }

  #mayTell(): boolean {
    const { webhooks, webhook_url } = this.options.settings();
    return webhooks && webhook_url !== null;
  }
}

/** Names one telling of one plan in the journal. */
function tellingKey({ call, turn }: StoredCall, telling: number): string {
  return `${call.id}|${turn}|${telling}`;
}

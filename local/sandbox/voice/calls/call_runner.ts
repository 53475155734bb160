import type { EventHub } from "../../control/events.ts";
import type { Journal } from "../../journal/journal.ts";
import { Scheduler } from "../../scheduler.ts";
import type { VoiceSettings } from "../voice_settings.ts";
import type { VoiceWebhookSender } from "../voice_webhook_sender.ts";
import type { CallPlan, StoredCall } from "./call.ts";
import { callEventBody } from "./call_event.ts";
import type { CallLedger } from "./call_ledger.ts";
import { applyStep } from "./call_plan.ts";
import type { CallSlots } from "./call_slots.ts";

/** A due step of the plan with this number, or the plan's webhook at this index. */
interface Job {
  stored: StoredCall;
  planNumber: number;
  step?: number;
  webhook?: number;
}

export interface CallRunnerOptions {
  journal: Journal;
  ledger: CallLedger;
  slots: CallSlots;
  sender: VoiceWebhookSender;
  events: EventHub;
  settings: () => VoiceSettings;
}

/** Carries out the plans of calls: phones ring, people talk, calls end, webhooks report them. */
export class CallRunner {
  readonly #scheduler = new Scheduler<Job>((due) => this.#run(due));
  /** By call: resolves once its first webhook was tried. */
  readonly #waiting = new Map<string, () => void>();

  constructor(private readonly options: CallRunnerOptions) {}

  /** Starts a plan or resumes it; webhooks with a key in `tried` are not sent again. */
  start(stored: StoredCall, tried: ReadonlySet<string> = new Set()): void {
    const { plan, planNumber, done } = stored;
    for (let step = done; step < plan.steps.length; step++) {
      this.#scheduler.add(plan.steps[step]!.at, { stored, planNumber, step });
    }
    for (const [webhook, { at }] of plan.webhooks.entries()) {
      if (!tried.has(webhookKey(stored, webhook))) this.#scheduler.add(at, { stored, planNumber, webhook });
    }
  }

  /** Starts a plan and resolves when its first webhook was tried, at once when there is none. */
  startEarly(stored: StoredCall): Promise<void> {
    this.start(stored);
    if (stored.plan.webhooks.length === 0 || !this.#sendsWebhooks()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(stored.call.id, resolve));
  }

  /** Replaces the rest of a call's plan, as for a manual pickup. Steps that were reached stay. */
  replan(stored: StoredCall, rest: CallPlan): void {
    const past = stored.plan.steps.slice(0, stored.done);
    stored.plan = { ...rest, steps: [...past, ...rest.steps] };
    stored.planNumber += 1;
    this.options.journal.write({
      t: "call_plan",
      id: stored.call.id,
      planNumber: stored.planNumber,
      plan: stored.plan,
    });
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
    const live = due.filter(({ stored, planNumber }) =>
      planNumber === stored.planNumber && this.options.ledger.get(stored.call.id) === stored
    );
    for (const { stored, step } of live) if (step !== undefined) this.#reach(stored);
    for (const { stored, webhook } of live) if (webhook !== undefined) this.#sendWebhook(stored, webhook);
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

  #sendWebhook(stored: StoredCall, webhook: number): void {
    const key = webhookKey(stored, webhook);
    const { type } = stored.plan.webhooks[webhook]!;
    const record = (delivered: boolean) => {
      const attempt = { type, at: new Date().toISOString(), delivered };
      stored.call.webhooks.push(attempt);
      this.options.journal.write({ t: "call_webhook", id: stored.call.id, key, attempt });
      this.#publish(stored);
      this.#waiting.get(stored.call.id)?.();
      this.#waiting.delete(stored.call.id);
    };
    if (this.#sendsWebhooks()) {
      this.options.sender.enqueue({ body: () => callEventBody(stored, type), settled: record });
    } else record(false);
  }

  #sendsWebhooks(): boolean {
    const { webhooks, webhook_url } = this.options.settings();
    return webhooks && webhook_url !== null;
  }
}

/** Names one webhook of one plan in the journal. */
function webhookKey({ call, planNumber }: StoredCall, webhook: number): string {
  return `${call.id}|${planNumber}|${webhook}`;
}

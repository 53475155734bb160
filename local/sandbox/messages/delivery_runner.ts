import type { EventHub } from "../control/event_hub.ts";
import { describeError } from "../errors/error_table.ts";
import { Scheduler } from "../scheduler.ts";
import type { Settings } from "../settings.ts";
import type { Journal, JournalLine } from "../storage/journal.ts";
import type { Ledger } from "../storage/ledger.ts";
import { statusValue } from "../webhooks/status_value.ts";
import type { WebhookUpdate } from "../webhooks/update.ts";
import type { WebhookSender } from "../webhooks/webhook_sender.ts";
import type { MessageStatus, StoredMessage } from "./message.ts";

/** What is due: a status that comes true, or the `telling`-th webhook about it. */
interface Job {
  stored: StoredMessage;
  step: number;
  telling?: number;
}

export interface DeliveryRunnerOptions {
  journal: Journal;
  ledger: Ledger;
  sender: WebhookSender;
  events: EventHub;
  settings: () => Settings;
  displayNumber: (stored: StoredMessage) => string;
}

/** Carries out the plans of messages: statuses come true in the ledger and are told by webhook. */
export class DeliveryRunner {
  readonly #scheduler = new Scheduler<Job>((due) => this.#run(due));

  constructor(private readonly options: DeliveryRunnerOptions) {}

  /** Starts a plan, or takes it up again: what has happened or was told already is left out. */
  start(stored: StoredMessage, told: ReadonlySet<string> = new Set()): void {
    for (const [step, { status, at, told: times }] of stored.plan.entries()) {
      if (!reached(stored, status)) this.#scheduler.add(at, { stored, step });
      for (const [telling, time] of times.entries()) {
        if (!told.has(tellingKey(stored, step, telling))) {
          this.#scheduler.add(time, { stored, step, telling });
        }
      }
    }
  }

  /** Brings the first status of a message about now and resolves when its webhook was answered 200. */
  startEarly(stored: StoredMessage): Promise<void> {
    const first = stored.plan[0]!;
    this.#reach([{ stored, step: 0 }]);
    this.start(stored, new Set([tellingKey(stored, 0, 0)]));
    if (first.told.length === 0 || !this.#mayTell()) return Promise.resolve();
    return new Promise((resolve) =>
      this.options.sender.enqueue([this.#update({ stored, step: 0, telling: 0 }, resolve)])
    );
  }

  clear(): void {
    this.#scheduler.clear();
  }

  close(): void {
    this.#scheduler.close();
  }

  #run(due: Job[]): void {
    const live = due.filter(({ stored }) => this.options.ledger.get(stored.message.id) !== undefined);
    this.#reach(live.filter((job) => job.telling === undefined));
    const updates = live.filter((job) => job.telling !== undefined).map((job) => this.#update(job));
    if (updates.length === 0) return;
    if (this.#mayTell()) this.options.sender.enqueue(updates);
    else this.options.journal.write(toldLine(updates.map((update) => update.key)));
  }

  #mayTell(): boolean {
    const { webhooks, webhook_url } = this.options.settings();
    return webhooks && webhook_url !== null;
  }

  #reach(jobs: Job[]): void {
    if (jobs.length === 0) return;
    const at = new Date().toISOString();
    this.options.journal.write({
      t: "reached",
      at,
      steps: jobs.map(({ stored, step }) => [stored.message.id, step]),
    });
    for (const { stored, step } of jobs) {
      const { id, to } = stored.message;
      const status = reachStatus(stored, step, at);
      this.options.events.publish({ kind: "status", id, to, ...status });
    }
  }

  #update({ stored, step, telling }: Job, onTold?: () => void): WebhookUpdate {
    const { message } = stored;
    const planned = stored.plan[step]!;
    const status = message.statuses.find((each) => each.status === planned.status);
    const at = status === undefined ? planned.at : Date.parse(status.at);
    return {
      kind: "status",
      key: tellingKey(stored, step, telling!),
      told: () => {
        if (status !== undefined) status.webhook_at ??= new Date().toISOString();
        onTold?.();
      },
      update: {
        waba_id: message.waba_id,
        phone_number_id: message.phone_number_id,
        display_phone_number: this.options.displayNumber(stored),
        status: statusValue(stored, planned, at),
      },
    };
  }
}

/** Names one telling of one status in the journal. */
export function tellingKey(stored: StoredMessage, step: number, telling: number): string {
  return `${stored.message.id}|${step}|${telling}`;
}

/** The journal's line for tellings that are over: answered 200, or left out because webhooks are off. */
export function toldLine(keys: string[]): JournalLine {
  return { t: "told", at: new Date().toISOString(), keys };
}

/** Marks a step of the plan as come true and returns the new status. */
export function reachStatus(stored: StoredMessage, step: number, at: string): MessageStatus {
  const { status, error } = stored.plan[step]!;
  const entry: MessageStatus = { status, at, webhook_at: null };
  if (error !== undefined) entry.error = { code: error, title: describeError(error).title };
  stored.message.statuses.push(entry);
  return entry;
}

function reached(stored: StoredMessage, status: string): boolean {
  return stored.message.statuses.some((each) => each.status === status);
}

import type { EventHub } from "../control/events.ts";
import { describeError } from "../http/error_table.ts";
import type { Journal, JournalEntry } from "../journal/journal.ts";
import { Scheduler } from "../scheduler.ts";
import type { Settings } from "../settings.ts";
import type { WebhookUpdate } from "../webhooks/update.ts";
import type { WebhookSender } from "../webhooks/webhook_sender.ts";
import type { DeliveryStep } from "./delivery_plan.ts";
import type { MessageStatus, StoredMessage } from "./message.ts";
import type { Ledger } from "./message_ledger.ts";
import { statusContact, statusRecipient } from "./recipient.ts";

/** A due step of a plan, or the webhook about it at this index. */
interface Job {
  stored: StoredMessage;
  step: number;
  webhook?: number;
}

export interface DeliveryRunnerOptions {
  journal: Journal;
  ledger: Ledger;
  sender: WebhookSender;
  events: EventHub;
  settings: () => Settings;
  displayNumber: (stored: StoredMessage) => string;
}

/** Carries out the plans of messages: the ledger gets their statuses, webhooks report them. */
export class DeliveryRunner {
  readonly #scheduler = new Scheduler<Job>((due) => this.#run(due));

  constructor(private readonly options: DeliveryRunnerOptions) {}

  /** Starts a plan or resumes it, without the statuses and webhooks that are done. */
  start(stored: StoredMessage, delivered: ReadonlySet<string> = new Set()): void {
    for (const [step, { status, at, webhooks: times }] of stored.plan.entries()) {
      if (!reached(stored, status)) this.#scheduler.add(at, { stored, step });
      for (const [webhook, time] of times.entries()) {
        if (!delivered.has(webhookKey(stored, step, webhook))) {
          this.#scheduler.add(time, { stored, step, webhook });
        }
      }
    }
  }

  /** Applies the first status now and resolves when its webhook got a 200 response. */
  startEarly(stored: StoredMessage): Promise<void> {
    const first = stored.plan[0]!;
    this.#reach([{ stored, step: 0 }]);
    this.start(stored, new Set([webhookKey(stored, 0, 0)]));
    if (first.webhooks.length === 0 || !this.#sendsWebhooks()) return Promise.resolve();
    return new Promise((resolve) =>
      this.options.sender.enqueue([this.#update({ stored, step: 0, webhook: 0 }, resolve)])
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
    this.#reach(live.filter((job) => job.webhook === undefined));
    const updates = live.filter((job) => job.webhook !== undefined).map((job) => this.#update(job));
    if (updates.length === 0) return;
    if (this.#sendsWebhooks()) this.options.sender.enqueue(updates);
    else this.options.journal.write(deliveredEntry(updates.map((update) => update.key)));
  }

  #sendsWebhooks(): boolean {
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

  #update({ stored, step, webhook }: Job, afterDelivery?: () => void): WebhookUpdate {
    const { message } = stored;
    const planned = stored.plan[step]!;
    const status = message.statuses.find((each) => each.status === planned.status);
    const at = status === undefined ? planned.at : Date.parse(status.at);
    return {
      kind: "status",
      key: webhookKey(stored, step, webhook!),
      onDelivered: () => {
        if (status !== undefined) status.webhook_at ??= new Date().toISOString();
        afterDelivery?.();
      },
      update: {
        waba_id: message.waba_id,
        phone_number_id: message.phone_number_id,
        display_phone_number: this.options.displayNumber(stored),
        contact: statusContact(stored.recipient, planned.status),
        status: statusValue(stored, planned, at),
      },
    };
  }
}

/** Names one webhook about one status in the journal. */
export function webhookKey(stored: StoredMessage, step: number, webhook: number): string {
  return `${stored.message.id}|${step}|${webhook}`;
}

/** The journal entry of webhooks that are done: they got a 200 response, or webhooks are off. */
export function deliveredEntry(keys: string[]): JournalEntry {
  return { t: "webhooks_delivered", at: new Date().toISOString(), keys };
}

/** Applies a step of the plan and returns the new status. */
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

const ERROR_PAGE = "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/";

/** One element of `value.statuses`. `at` in unix milliseconds; the platform writes seconds, as text. */
function statusValue(stored: StoredMessage, step: DeliveryStep, at: number): Record<string, unknown> {
  const { message } = stored;
  const ref = message.biz_opaque_callback_data;
  return {
    id: message.id,
    status: step.status,
    timestamp: String(Math.floor(at / 1000)),
    ...statusRecipient(stored.recipient, step.status),
    ...(ref !== null && stored.echo ? { biz_opaque_callback_data: ref } : {}),
    ...(step.status === "sent" || step.status === "delivered" ? { pricing: pricing(message) } : {}),
    ...(step.error === undefined ? {} : { errors: [errorValue(step.error)] }),
  };
}

function pricing({ template, edge }: StoredMessage["message"]): Record<string, unknown> {
  const category = edge === "marketing_messages" ? "marketing_lite" : template?.category ?? "service";
  return { billable: true, pricing_model: "PMP", type: "regular", category: category.toLowerCase() };
}

function errorValue(code: number): Record<string, unknown> {
  const { title } = describeError(code);
  return { code, title, message: title, error_data: { details: `${title} (simulated)` }, href: ERROR_PAGE };
}

import type { Settings } from "../settings.ts";
import { Scheduler } from "../scheduler.ts";
import { webhookEnvelope } from "./envelope.ts";
import { signWebhook } from "./sign.ts";
import type { WebhookUpdate } from "./update.ts";

/** The platform's own limit for one webhook. */
const MAX_UPDATES = 1000;
/** Webhooks in flight at a time; while all are busy, updates gather for the next one. */
const MAX_IN_FLIGHT = 4;
const ANSWER_TIMEOUT_MS = 10_000;
const LONGEST_WAIT_MS = 600_000;
const GIVE_UP_MS = 7 * 24 * 3_600_000;

interface Batch {
  updates: WebhookUpdate[];
  tries: number;
  since: number;
}

export interface WebhookCounters {
  /** Updates that were answered 200. */
  sent: number;
  /** Updates waiting for their first or next try. */
  pending: number;
  posts: number;
  failed_posts: number;
}

export interface WebhookSenderOptions {
  appSecret: string;
  settings: () => Settings;
  /** Called once for each batch that was answered 200. */
  onTold: (keys: string[]) => void;
}

/**
 * Posts updates to the webhook address, up to 1000 at a time, signed. Whatever is not answered 200 is tried
 * again as the same batch, waiting longer each time, for seven days.
 */
export class WebhookSender {
  readonly counters: WebhookCounters = { sent: 0, pending: 0, posts: 0, failed_posts: 0 };
  readonly #fresh: WebhookUpdate[] = [];
  readonly #retries = new Scheduler<Batch>((due) => due.forEach((batch) => void this.#attempt(batch)));
  readonly #closing = new AbortController();
  #inFlight = 0;
  #gathering = false;

  constructor(private readonly options: WebhookSenderOptions) {}

  enqueue(updates: WebhookUpdate[]): void {
    this.counters.pending += updates.length;
    for (const update of updates) this.#fresh.push(update);
    if (this.#gathering) return;
    this.#gathering = true;
    queueMicrotask(() => this.#drain());
  }

  close(): void {
    this.#closing.abort();
    this.#retries.close();
  }

  #drain(): void {
    this.#gathering = false;
    while (this.#fresh.length > 0 && this.#inFlight < MAX_IN_FLIGHT && !this.#closing.signal.aborted) {
      void this.#attempt({ updates: this.#fresh.splice(0, MAX_UPDATES), tries: 0, since: Date.now() });
    }
  }

  async #attempt(batch: Batch): Promise<void> {
    this.#inFlight += 1;
    const taken = await this.#post(batch.updates);
    this.#inFlight -= 1;
    if (this.#closing.signal.aborted) return;
    if (taken) this.#finish(batch.updates);
    else this.#putBack(batch);
    this.#drain();
  }

  async #post(updates: WebhookUpdate[]): Promise<boolean> {
    const url = this.options.settings().webhook_url;
    if (url === null) return false;
    this.counters.posts += 1;
    const body = new TextEncoder().encode(JSON.stringify(webhookEnvelope(updates)));
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "X-Hub-Signature-256": signWebhook(this.options.appSecret, body),
        },
        body,
        redirect: "manual",
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return response.status === 200;
    } catch {
      return false;
    }
  }

  #finish(updates: WebhookUpdate[]): void {
    this.counters.sent += updates.length;
    this.counters.pending -= updates.length;
    this.options.onTold(updates.map((update) => update.key));
    for (const update of updates) update.told();
  }

  #putBack(batch: Batch): void {
    this.counters.failed_posts += 1;
    if (Date.now() - batch.since > GIVE_UP_MS) {
      this.counters.pending -= batch.updates.length;
      return;
    }
    const wait = Math.min(this.options.settings().webhook_retry_ms * 2 ** batch.tries, LONGEST_WAIT_MS);
    this.#retries.add(Date.now() + wait, { ...batch, tries: batch.tries + 1 });
  }
}

import { createHmac } from "node:crypto";
import { Scheduler } from "../scheduler.ts";
import type { Settings } from "../settings.ts";
import { postWebhook } from "./post_webhook.ts";
import { webhookEnvelope, type WebhookUpdate } from "./update.ts";

/** The platform's limit for one webhook. */
const MAX_UPDATES = 1000;
/** Concurrent webhooks; while all are busy, updates gather for the next one. */
const MAX_IN_FLIGHT = 4;
const MAX_RETRY_WAIT_MS = 600_000;
const RETRY_FOR_MS = 7 * 24 * 3_600_000;

interface Batch {
  updates: WebhookUpdate[];
  attempts: number;
  since: number;
}

export interface WebhookCounters {
  /** Updates with a 200 response. */
  sent: number;
  /** Updates waiting for their first or next attempt. */
  pending: number;
  posts: number;
  failed_posts: number;
}

export interface WebhookSenderOptions {
  appSecret: string;
  settings: () => Settings;
  /** Called once for each batch with a 200 response. */
  onDelivered: (keys: string[]) => void;
}

/**
 * Posts signed updates to the webhook address, up to 1000 per request. Retries without a 200 response, as the same
 * batch, with a growing wait, for seven days.
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
      void this.#attempt({ updates: this.#fresh.splice(0, MAX_UPDATES), attempts: 0, since: Date.now() });
    }
  }

  async #attempt(batch: Batch): Promise<void> {
    this.#inFlight += 1;
    const delivered = await this.#post(batch.updates);
    this.#inFlight -= 1;
    if (this.#closing.signal.aborted) return;
    if (delivered) this.#finish(batch.updates);
    else this.#retryLater(batch);
    this.#drain();
  }

  async #post(updates: WebhookUpdate[]): Promise<boolean> {
    const url = this.options.settings().webhook_url;
    if (url === null) return false;
    this.counters.posts += 1;
    const body = new TextEncoder().encode(JSON.stringify(webhookEnvelope(updates)));
    const signature = { "X-Hub-Signature-256": signWebhook(this.options.appSecret, body) };
    return await postWebhook(url, { body, signature }, this.#closing.signal);
  }

  #finish(updates: WebhookUpdate[]): void {
    this.counters.sent += updates.length;
    this.counters.pending -= updates.length;
    this.options.onDelivered(updates.map((update) => update.key));
    for (const update of updates) update.onDelivered();
  }

  #retryLater(batch: Batch): void {
    this.counters.failed_posts += 1;
    if (Date.now() - batch.since > RETRY_FOR_MS) {
      this.counters.pending -= batch.updates.length;
      return;
    }
    const wait = Math.min(this.options.settings().webhook_retry_ms * 2 ** batch.attempts, MAX_RETRY_WAIT_MS);
    this.#retries.add(Date.now() + wait, { ...batch, attempts: batch.attempts + 1 });
  }
}

/** The value of `X-Hub-Signature-256` for these exact bytes: "sha256=" and the HMAC in lower-case hex. */
export function signWebhook(appSecret: string, body: Uint8Array): string {
  return `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
}

import { createHmac } from "node:crypto";
import { Scheduler } from "../scheduler.ts";
import { postWebhook } from "../webhooks/post_webhook.ts";
import type { VoiceSettings } from "./voice_settings.ts";

/** The number of concurrent webhooks. */
const MAX_IN_FLIGHT = 8;

/** An event to send. `body` is called when the event is sent. */
export interface VoiceEvent {
  body: () => Record<string, unknown>;
  /** Called once: after a 200 response, or with false after the last attempt. */
  settled: (delivered: boolean) => void;
}

interface Attempt {
  event: VoiceEvent;
  attempts: number;
}

export interface VoiceWebhookSenderOptions {
  secret: string;
  settings: () => VoiceSettings;
}

/** Posts signed events to the webhook address, one per request. The platform tries each only once. */
export class VoiceWebhookSender {
  readonly counters = { sent: 0, pending: 0, posts: 0, failed_posts: 0 };
  readonly #waiting: Attempt[] = [];
  readonly #retries = new Scheduler<Attempt>((due) => this.#take(due));
  readonly #closing = new AbortController();
  #inFlight = 0;

  constructor(private readonly options: VoiceWebhookSenderOptions) {}

  enqueue(event: VoiceEvent): void {
    this.counters.pending += 1;
    this.#take([{ event, attempts: 1 }]);
  }

  close(): void {
    this.#closing.abort();
    this.#retries.close();
  }

  #take(attempts: Attempt[]): void {
    for (const attempt of attempts) this.#waiting.push(attempt);
    while (this.#waiting.length > 0 && this.#inFlight < MAX_IN_FLIGHT && !this.#closing.signal.aborted) {
      void this.#attempt(this.#waiting.shift()!);
    }
  }

  async #attempt({ event, attempts }: Attempt): Promise<void> {
    this.#inFlight += 1;
    const delivered = await this.#post(event.body());
    this.#inFlight -= 1;
    if (this.#closing.signal.aborted) return;
    const { webhook_attempts, webhook_retry_ms } = this.options.settings();
    if (!delivered) this.counters.failed_posts += 1;
    if (delivered || attempts >= webhook_attempts) this.#settle(event, delivered);
    else {this.#retries.add(Date.now() + webhook_retry_ms * 2 ** (attempts - 1), {
        event,
        attempts: attempts + 1,
      });}
    this.#take([]);
  }

  #settle(event: VoiceEvent, delivered: boolean): void {
    this.counters.pending -= 1;
    if (delivered) this.counters.sent += 1;
    event.settled(delivered);
  }

  async #post(value: Record<string, unknown>): Promise<boolean> {
    const url = this.options.settings().webhook_url;
    if (url === null) return false;
    this.counters.posts += 1;
    const body = new TextEncoder().encode(JSON.stringify(value));
    const seconds = Math.floor(Date.now() / 1000);
    const signature = { "ElevenLabs-Signature": signVoiceWebhook(this.options.secret, body, seconds) };
    return await postWebhook(url, { body, signature }, this.#closing.signal);
  }
}

/** The value of `ElevenLabs-Signature` for these exact bytes; `seconds` is the unix time it is signed at. */
export function signVoiceWebhook(secret: string, body: Uint8Array, seconds: number): string {
  return `t=${seconds},v0=${createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex")}`;
}

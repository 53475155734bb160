import type { InboundMessage } from "../people/inbound_message.ts";
import type { SandboxMessage, StoredMessage } from "./message.ts";

/** Messages that people sent, kept in all; beyond it the oldest are evicted. */
const MAX_INBOUND = 10_000;
/** Messages kept, at about 3 kB of memory each; beyond it the oldest are evicted. */
const MAX_MESSAGES = 50_000;

export interface MessageFilter {
  /** The recipient's number, with or without "+". */
  to?: string | undefined;
  /** `biz_opaque_callback_data` */
  ref?: string | undefined;
  /** Only messages accepted after the one with this id. */
  after?: string | undefined;
  limit: number;
}

export interface Phone {
  /** Digits. */
  number: string;
  /** Messages ever kept for this phone. */
  total: number;
  /** Newest last. */
  messages: SandboxMessage[];
  /** Messages that the person sent, newest last. */
  inbound: InboundMessage[];
}

/** The messages of one phone, oldest first. */
interface Chat {
  messages: StoredMessage[];
  inbound: InboundMessage[];
}

/** Every accepted message, in the order of acceptance, and the same by phone, with those that people sent. */
export class Ledger {
  /** The number of messages evicted because there were too many. */
  evicted = 0;
  /** In the order of acceptance. */
  readonly #messages = new Map<string, StoredMessage>();
  /** By number, the phone with the latest message last. */
  readonly #phones = new Map<string, Chat>();
  readonly #inbound = new Map<string, InboundMessage>();
  /** The order of ids, so that paging needs no search. */
  readonly #order: string[] = [];

  get size(): number {
    return this.#messages.size;
  }

  get phoneCount(): number {
    return this.#phones.size;
  }

  add(stored: StoredMessage): void {
    const number = digits(stored.message.to);
    this.#messages.set(stored.message.id, stored);
    this.#order.push(stored.message.id);
    this.#touch(number).messages.push(stored);
    if (this.#messages.size > MAX_MESSAGES) this.#evictOldest();
  }

  /** Adds a message that a person sent. */
  addInbound(inbound: InboundMessage): void {
    this.#inbound.set(inbound.id, inbound);
    this.#touch(inbound.number).inbound.push(inbound);
    if (this.#inbound.size > MAX_INBOUND) this.#evictInbound();
  }

  hasInbound(id: string): boolean {
    return this.#inbound.has(id);
  }

  /** The messages of one phone, in digits; the newest last. */
  chat(number: string): Chat {
    return this.#phones.get(number) ?? { messages: [], inbound: [] };
  }

  get(id: string): StoredMessage | undefined {
    return this.#messages.get(id);
  }

  /** Every message kept, oldest first. */
  all(): Iterable<StoredMessage> {
    return this.#messages.values();
  }

  clear(): void {
    this.#messages.clear();
    this.#phones.clear();
    this.#inbound.clear();
    this.#order.length = 0;
  }

  /** Messages that fit the filter, oldest first. */
  find({ to, ref, after, limit }: MessageFilter): SandboxMessage[] {
    const pool = to === undefined ? this.#accepted(after) : this.chat(digits(to)).messages;
    const found: SandboxMessage[] = [];
    let passed = to === undefined || after === undefined || !this.#messages.has(after);
    for (const { message } of pool) {
      if (found.length >= limit) break;
      if (passed && (ref === undefined || message.biz_opaque_callback_data === ref)) found.push(message);
      passed ||= message.id === after;
    }
    return found;
  }

  /** The phones whose number contains `search`, the latest message first, each with its last `depth` messages. */
  phones(search: string, limit: number, depth: number): Phone[] {
    const found: Phone[] = [];
    for (const number of [...this.#phones.keys()].reverse()) {
      if (found.length >= limit) break;
      if (!number.includes(search)) continue;
      const { messages, inbound } = this.chat(number);
      found.push({
        number,
        total: messages.length,
        messages: messages.slice(-depth).map(({ message }) => message),
        inbound: inbound.slice(-depth),
      });
    }
    return found;
  }

  *#accepted(after: string | undefined): Iterable<StoredMessage> {
    const start = after === undefined ? 0 : this.#order.lastIndexOf(after) + 1;
    for (let at = start; at < this.#order.length; at++) {
      const stored = this.#messages.get(this.#order[at]!);
      if (stored !== undefined) yield stored;
    }
  }

  #evictOldest(): void {
    const [id, { message }] = this.#messages.entries().next().value!;
    const number = digits(message.to);
    this.#messages.delete(id);
    this.evicted += 1;
    this.chat(number).messages.shift();
    this.#dropEmpty(number);
    if (this.#order.length > 2 * MAX_MESSAGES) {
      this.#order.splice(0, this.#order.length - this.#messages.size);
    }
  }

  #evictInbound(): void {
    const { id, number } = this.#inbound.values().next().value!;
    this.#inbound.delete(id);
    this.chat(number).inbound.shift();
    this.#dropEmpty(number);
  }

  #dropEmpty(number: string): void {
    const { messages, inbound } = this.chat(number);
    if (messages.length + inbound.length === 0) this.#phones.delete(number);
  }

  /** Makes a phone the one with the latest message. */
  #touch(number: string): Chat {
    const chat = this.chat(number);
    this.#phones.delete(number);
    this.#phones.set(number, chat);
    return chat;
  }
}

function digits(number: string): string {
  return number.replace(/\D/g, "");
}

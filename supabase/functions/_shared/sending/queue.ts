import type { SpanFacts } from "../telemetry/tracing.ts";

/** A row of a queue that this worker has leased. */
export interface Leased {
  company_id: string;
  /** The span of the request that made it, as `traceparent`. */
  trace: string | null;
}

/** The consequences of one attempt to send a row; `result` is recorded. */
export interface Judged {
  result: { company_id: string; outcome: string; error_code?: string | null };
}

/** A row whose attempt is over. */
export interface Attempted<Item, Judgement> {
  item: Item;
  judgement: Judgement;
}

/** The limits of one claim. */
export interface ClaimLimits<Item> {
  limit: number;
  /** The rows that this worker has claimed, and whose result is not recorded. */
  claimed: ReadonlySet<Item>;
  /** All slots are taken: the claim is for others than those who take them. */
  isFull: boolean;
}

/** The conditions of a wait for work. */
export interface WaitForWork {
  /** Returns whether nothing is in flight. */
  isEmpty(): boolean;
  /** The longest wait. */
  maxMs: number;
  stopping: AbortSignal;
}

/** A table that holds something to send, seen by one worker, and how its rows are sent. */
export interface Queue<Item extends Leased, Judgement extends Judged> {
  /** The queue in logs and spans. */
  name: "notifications" | "replies" | "deliveries" | "pushes" | "agent_replies";
  /** The name of the span of one attempt. */
  span: string;
  leaseS: number;
  /** How many rows may be claimed at a time while all slots are taken. @default 0 */
  maxWhenFull?: number;
  /** Leases rows that are due to this worker, each with a fence of its own. */
  claim(limits: ClaimLimits<Item>): Promise<Item[]>;
  /**
   * Sends a row and judges the outcome. Returns `released(item)` instead if `isLate` the moment before it would leave. If it
   * throws, the row counts as possibly sent.
   */
  deliver(item: Item, isLate: () => boolean): Promise<Judgement>;
  /** Returns the judgement of a row that goes back unsent. */
  released(item: Item): Judgement;
  /** Records results. Changes nothing that is recorded already, or that another worker has claimed since. */
  finish(judgements: Judgement[]): Promise<void>;
  /** Hands back, unsent, what this worker has leased, except `known`. Returns how many rows it handed back. */
  release(known: Item[]): Promise<number>;
  /** Extends the leases of `items`. Where it is missing, results count also after the lease, or sending twice is allowed. */
  renew?(items: Item[]): Promise<void>;
  /** Receives what was recorded, and the milliseconds that recording took, retries included. */
  recorded(batch: Attempted<Item, Judgement>[], ms: number): void;
  /**
   * Resolves with true when it is time to claim again, and with false when nothing more is to be done. @default waits for
   * `wake()` and for results
   */
  waitForWork?(wait: WaitForWork): Promise<boolean>;
  /** Returns the facts of a row's span. */
  facts(item: Item): SpanFacts;
  /** Returns the ids and the outcome of an attempt, for the log. */
  describe(judgement: Judgement): Record<string, unknown>;
}

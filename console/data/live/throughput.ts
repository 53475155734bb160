import { signal } from "@preact/signals";
import type { Campaign } from "../sdk.ts";

/** How long a bucket is. */
export const BUCKET_MS = 10_000;

/** Half an hour. */
const MAX_BUCKETS = 180;

/** Messages that left and that failed in ten seconds, as rates per minute. */
export interface Bucket {
  at: number;
  sent: number;
  failed: number;
}

/** Adds buckets up to whole minutes: how many messages left in each, not how many would have at the pace of a moment. */
export function minutesOf(buckets: Bucket[]): Bucket[] {
  const minutes = Map.groupBy(buckets, ({ at }) => Math.floor(at / 60_000) * 60_000);
  const sum = (of: Bucket[], name: "sent" | "failed") =>
    of.reduce((total, each) => total + each[name], 0) * BUCKET_MS / 60_000;
  return [...minutes].map(([at, of]) => ({ at, sent: sum(of, "sent"), failed: sum(of, "failed") }));
}

/** The counters of a campaign that matter here. */
export type Counters =
  & Pick<Campaign, "campaign_id" | "sent" | "failed">
  & Partial<Pick<Campaign, "started_at">>;

/** Counts what events add to the counters of campaigns: the API keeps no history of them. */
export class Throughput {
  readonly buckets = signal<Bucket[]>([]);
  #known = new Map<string, Counters>();
  readonly #beganAt = Date.now();

  /** Takes the counters of a campaign as read; the first ones of each are where counting starts. */
  know(counters: Counters): void {
    if (!this.#known.has(counters.campaign_id)) this.#known.set(counters.campaign_id, counters);
  }

  /** Counts what an event adds. */
  count(counters: Counters): void {
    const before = this.#known.get(counters.campaign_id) ?? this.#beginning(counters);
    this.#known.set(counters.campaign_id, counters);
    if (before === undefined) return;
    this.#add(Math.max(0, counters.sent - before.sent), Math.max(0, counters.failed - before.failed));
  }

  /** A campaign that began after the counting did is counted from zero. */
  #beginning({ started_at }: Counters): Pick<Counters, "sent" | "failed"> | undefined {
    return started_at && Date.parse(started_at) >= this.#beganAt ? { sent: 0, failed: 0 } : undefined;
  }

  /** Begins empty buckets for the time in which nothing happened. */
  advance(): void {
    this.#add(0, 0);
  }

  #add(sent: number, failed: number): void {
    const now = Math.floor(Date.now() / BUCKET_MS) * BUCKET_MS;
    const kept = this.buckets.peek();
    const buckets = kept.length === 0 ? [{ at: now, sent: 0, failed: 0 }] : [...kept];
    for (let at = buckets.at(-1)!.at + BUCKET_MS; at <= now; at += BUCKET_MS) {
      buckets.push({ at, sent: 0, failed: 0 });
    }
    const last = buckets.at(-1)!;
    const perMinute = 60_000 / BUCKET_MS;
    buckets[buckets.length - 1] = {
      at: last.at,
      sent: last.sent + sent * perMinute,
      failed: last.failed + failed * perMinute,
    };
    this.buckets.value = buckets.slice(-MAX_BUCKETS);
  }
}

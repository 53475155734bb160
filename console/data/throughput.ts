import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Campaign } from "./sdk.ts";
import { useLive } from "./live.ts";

const BUCKET_MS = 10_000;

/** Half an hour. */
const MAX_BUCKETS = 180;

/** What left and what failed in ten seconds, as rates per minute. */
export interface Bucket {
  at: number;
  sent: number;
  failed: number;
}

type Counters = Pick<Campaign, "campaign_id" | "sent" | "failed">;

/** Counts what events add to the counters of campaigns: the API keeps no history of them. */
export class Throughput {
  readonly buckets = signal<Bucket[]>([]);
  #known = new Map<string, Counters>();

  /** Takes the counters of a campaign as read; the first ones of each are where counting starts. */
  know(counters: Counters): void {
    if (!this.#known.has(counters.campaign_id)) this.#known.set(counters.campaign_id, counters);
  }

  /** Counts what an event adds. */
  count(counters: Counters): void {
    const before = this.#known.get(counters.campaign_id);
    this.#known.set(counters.campaign_id, counters);
    if (before === undefined) return;
    this.#add(Math.max(0, counters.sent - before.sent), Math.max(0, counters.failed - before.failed));
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

/** Counts while the part is on the page; `campaigns` are the counters as they are read. */
export function useThroughput(
  throughput: Throughput,
  campaigns: Counters[] | undefined,
  only?: string,
): Bucket[] {
  campaigns?.forEach((each) => throughput.know(each));
  useLive("campaign", (event) => {
    const counters = event as unknown as Counters;
    if (only === undefined || counters.campaign_id === only) throughput.count(counters);
  });
  useEffect(() => {
    throughput.advance();
    const timer = setInterval(() => throughput.advance(), BUCKET_MS);
    return () => clearInterval(timer);
  }, [throughput]);
  return throughput.buckets.value;
}

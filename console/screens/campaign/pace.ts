import type { CampaignDetails } from "../../data/sdk.ts";
import type { Bucket } from "../../data/live/throughput.ts";

/** The buckets that the rate of this moment is the mean of; the last one is not full yet. */
const RATE_BUCKETS = 3;

/** The rate of this moment where events show one, or else the mean since the start. */
export function paceOf(
  { pending, processing, rate_per_minute, seconds_left }: Pick<
    CampaignDetails,
    "pending" | "processing" | "rate_per_minute" | "seconds_left"
  >,
  buckets: Bucket[],
): { perMinute: number; secondsLeft: number | null; isMean: boolean } {
  const full = buckets.slice(-RATE_BUCKETS - 1, -1);
  const sum = full.reduce((total, { sent, failed }) => total + sent + failed, 0);
  if (sum === 0) return { perMinute: rate_per_minute ?? 0, secondsLeft: seconds_left, isMean: true };
  const perMinute = sum / full.length;
  return { perMinute, secondsLeft: (60 * (pending + processing)) / perMinute, isMean: false };
}

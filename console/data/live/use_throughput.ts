import { useEffect } from "preact/hooks";
import { useLive } from "./live.ts";
import { type Bucket, BUCKET_MS, type Counters, type Throughput } from "./throughput.ts";

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

import { type BenchProcess, denoArgs, freePort, startProcess } from "./processes.ts";

/** The platform's counters since its reset. Times in milliseconds since 1970. */
export interface UpstreamFigures {
  count: number;
  first_ms: number;
  last_ms: number;
  most_in_flight: number;
  /** When messages to numbers that start with +999 arrived. */
  arrivals: Record<string, number>;
}

const PATIENCE_MS = 300_000;

/** A platform that takes everything. */
export interface Upstream extends BenchProcess {
  url: string;
  reset(latencyMs: number): Promise<void>;
  figures(): Promise<UpstreamFigures>;
  /** Resolves when it has taken `count` messages; rejects when that takes longer than five minutes. */
  untilTaken(count: number): Promise<UpstreamFigures>;
}

/** Starts a platform in a process of its own. */
export async function startUpstream(): Promise<Upstream> {
  const port = freePort();
  const process = await startProcess([...denoArgs("bench/upstream.ts"), String(port), "0"]);
  const url = `http://127.0.0.1:${port}`;
  const figures = async () => await (await fetch(`${url}/figures`)).json() as UpstreamFigures;
  return {
    ...process,
    url,
    figures,
    async reset(latencyMs) {
      await (await fetch(`${url}/reset?latency_ms=${latencyMs}`, { method: "POST" })).body?.cancel();
    },
    async untilTaken(count) {
      const deadline = performance.now() + PATIENCE_MS;
      while (true) {
        const seen = await figures();
        if (seen.count >= count) return seen;
        if (performance.now() > deadline) throw new Error(`only ${seen.count} of ${count} messages came`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}

/** Messages per second between the first and the last. */
export function rateOf({ count, first_ms, last_ms }: UpstreamFigures): number {
  return (count - 1) / ((last_ms - first_ms) / 1000);
}

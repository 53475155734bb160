import type { Certificate } from "./certificate.ts";
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

/** Starts a platform in a process of its own; with a certificate it speaks TLS. */
export async function startUpstream(certificate?: Certificate): Promise<Upstream> {
  const port = freePort();
  const files = certificate ? [certificate.certFile, certificate.keyFile] : [];
  const process = await startProcess([...denoArgs("bench/upstream.ts"), String(port), "0", ...files]);
  const url = `${certificate ? "https" : "http"}://127.0.0.1:${port}`;
  const client = Deno.createHttpClient({
    caCerts: certificate ? [await Deno.readTextFile(certificate.certFile)] : [],
  });
  const figures = async () => await (await fetch(`${url}/figures`, { client })).json() as UpstreamFigures;
  return {
    ...process,
    url,
    figures,
    async reset(latencyMs) {
      const response = await fetch(`${url}/reset?latency_ms=${latencyMs}`, { method: "POST", client });
      await response.body?.cancel();
    },
    async stop(signal) {
      client.close();
      await process.stop(signal);
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

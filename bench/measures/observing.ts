import { freePort } from "../setup/processes.ts";
import { type Contestant, takeTurns } from "../setup/take_turns.ts";
import { startUpstream } from "../setup/upstream.ts";
import { sendOurs } from "./dispatch.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";

const SCRAPE_EVERY_MS = 1000;

/** The difference is small: more rounds than others. */
const TIMES_ROUNDS = 3;

/** Measures the cost of observing a dispatcher: metrics that are scraped every second, and traces of every message. */
export async function measureObserving(bench: Bench): Promise<Row[]> {
  const { quick, rounds, report } = bench;
  const upstream = await startUpstream();
  const backend = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    await request.body?.cancel();
    return Response.json({});
  });
  const work = { count: quick ? 5_000 : 30_000, latencyMs: 0 };
  const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${backend.addr.port}` };
  const contestants: Contestant[] = [
    { name: "unobserved", round: () => sendOurs(bench, upstream, work) },
    {
      name: "metrics",
      round: () => whileScraping((settings) => sendOurs(bench, upstream, { ...work, settings })),
    },
    { name: "traces", round: () => sendOurs(bench, upstream, { ...work, settings: traces }) },
  ];
  try {
    const scores = await takeTurns(contestants, { rounds: rounds * TIMES_ROUNDS, report });
    const { median: alone, rounds: aloneRounds } = scores.get("unobserved")!;
    return ["metrics", "traces"].map((name) => {
      const { median, rounds } = scores.get(name)!;
      return {
        work: `dispatch, 0 ms upstream, with ${name}`,
        against: "without",
        ...name === "metrics" && { aim: "≥ 0.99", met: median / alone >= 0.99 },
        ours: perSecond(median),
        theirs: perSecond(alone),
        ratio: median / alone,
        rounds: { ours: rounds, theirs: aloneRounds },
      };
    });
  } finally {
    await upstream.stop();
    await backend.shutdown();
  }
}

/** Reads the metrics of a dispatcher again and again while `work` runs one with these settings. */
async function whileScraping(work: (settings: Record<string, string>) => Promise<number>): Promise<number> {
  const port = freePort();
  const scrape = () =>
    fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.body?.cancel(), () => {});
  const timer = setInterval(scrape, SCRAPE_EVERY_MS);
  try {
    return await work({ METRICS_PORT: String(port) });
  } finally {
    clearInterval(timer);
  }
}

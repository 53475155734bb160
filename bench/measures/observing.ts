import { median } from "../setup/median.ts";
import { freePort } from "../setup/processes.ts";
import { type Contestant, takeTurns } from "../setup/take_turns.ts";
import { startUpstream } from "../setup/upstream.ts";
import { sendOurs } from "./dispatch.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";

const SCRAPE_EVERY_MS = 1000;
const MIN_SCRAPES = 2;

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
  const work = { count: quick ? 15_000 : 30_000, latencyMs: 0 };
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
      const { median: observed, rounds } = scores.get(name)!;
      // Of the same round: what the machine does meanwhile hits both alike, and differs more than they do.
      const ratio = median(rounds.map((figure, round) => figure / aloneRounds[round]!));
      return {
        work: `dispatch, 0 ms upstream, with ${name}`,
        against: "without",
        ...name === "metrics" && { aim: "≥ 0.99", met: ratio >= 0.99 },
        ours: perSecond(observed),
        theirs: perSecond(alone),
        ratio,
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
  let scrapes = 0;
  const scrape = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    await response.body?.cancel();
    if (response.ok) scrapes++;
  };
  // The first ones come before the dispatcher listens, the last one perhaps after it has ended.
  const timer = setInterval(() => scrape().catch(() => {}), SCRAPE_EVERY_MS);
  try {
    const rate = await work({ OUTBOUND_METRICS_PORT: String(port) });
    if (scrapes < MIN_SCRAPES) {
      throw new Error(`only ${scrapes} scrapes: the work is too short to show their cost`);
    }
    return rate;
  } finally {
    clearInterval(timer);
  }
}

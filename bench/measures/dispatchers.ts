import { startDispatcher } from "../setup/service.ts";
import { takeTurns } from "../setup/take_turns.ts";
import { rateOf, startUpstream, type Upstream } from "../setup/upstream.ts";
import { addTenant, fillCampaign, migrate } from "../setup/tenants.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";

const NUMBERS = [1, 2, 4];
const LATENCIES_MS = [0, 50];
/** One company would be sent for by one dispatcher at a time: claims of a sender never overlap. */
const COMPANIES = 8;

/** Sending what is queued with one, two and four dispatchers, to platforms that answer at once and after 50 ms. */
export async function measureDispatchers(bench: Bench): Promise<Row[]> {
  const { quick, rounds, report } = bench;
  const upstream = await startUpstream();
  const count = quick ? 4_000 : 40_000;
  try {
    const rows: Row[] = [];
    for (const latencyMs of LATENCIES_MS) {
      const contestants = NUMBERS.map((dispatchers) => ({
        name: `${dispatchers} at ${latencyMs} ms`,
        round: () => send(bench, upstream, { dispatchers, latencyMs, count }),
      }));
      const scores = await takeTurns(contestants, { rounds, report });
      const of = (dispatchers: number) => scores.get(`${dispatchers} at ${latencyMs} ms`)!.median;
      for (const dispatchers of NUMBERS.slice(1)) {
        rows.push({
          work: `${dispatchers} dispatchers, ${latencyMs} ms upstream`,
          against: "one dispatcher",
          ours: perSecond(of(dispatchers)),
          theirs: perSecond(of(1)),
          ratio: of(dispatchers) / of(1),
        });
      }
    }
    return rows;
  } finally {
    await upstream.stop();
  }
}

async function send(
  { server }: Bench,
  upstream: Upstream,
  { dispatchers, latencyMs, count }: { dispatchers: number; latencyMs: number; count: number },
): Promise<number> {
  const url = await server.create("bench_dispatchers");
  const sql = await migrate(url);
  await upstream.reset(latencyMs);
  // All of them are there before there is something to send.
  const running = await Promise.all(
    Array.from({ length: dispatchers }, () => startDispatcher(url, upstream.url)),
  );
  const tenants = await Promise.all(Array.from({ length: COMPANIES }, () => addTenant(sql)));
  await Promise.all(tenants.map((tenant) => fillCampaign(sql, tenant, { count: count / COMPANIES })));
  const figures = await upstream.untilTaken(count);
  await Promise.all(running.map((dispatcher) => dispatcher.stop()));
  await sql.end();
  await server.drop("bench_dispatchers");
  return rateOf(figures);
}

import os from "node:os";
import { type ClaimCounts, countClaims } from "../setup/count_claims.ts";
import { startDispatcher } from "../setup/service.ts";
import { takeTurns } from "../setup/take_turns.ts";
import { rateOf, startUpstream, type Upstream } from "../setup/upstream.ts";
import { addTenant, fillCampaign, migrate } from "../setup/tenants.ts";
import { comparisonRow } from "./comparison_row.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";

/** Sending that is measured with each number of dispatchers. */
interface Scene {
  latencyMs: number;
  /** Companies with a sender each: one sender is sent for by one dispatcher at a time. */
  senders: number;
  dispatchers: number[];
  /** Two dispatchers against one. */
  min?: number;
}

const SCENES: Scene[] = [
  { latencyMs: 0, senders: 8, dispatchers: [1, 2, 4] },
  { latencyMs: 50, senders: 8, dispatchers: [1, 2, 4] },
  { latencyMs: 50, senders: 64, dispatchers: [1, 2], min: 1.6 },
];

/** Two dispatchers, the database and the platform: with fewer they share what one already uses up. */
const MIN_CORES = 4;

/** Sending what is queued with one, two and four dispatchers, to platforms that respond at once and after 50 ms. */
export async function measureDispatchers(bench: Bench): Promise<Row[]> {
  const upstream = await startUpstream();
  try {
    const rows: Row[] = [];
    for (const [index, scene] of SCENES.entries()) {
      const report = (line: string, share = 0) => bench.report(line, (index + share) / SCENES.length);
      rows.push(...await measureScene({ ...bench, report }, upstream, scene));
    }
    return rows;
  } finally {
    await upstream.stop();
  }
}

async function measureScene(bench: Bench, upstream: Upstream, scene: Scene): Promise<Row[]> {
  const { senders, latencyMs, min } = scene;
  const counts: ClaimCounts[] = [];
  const contestants = scene.dispatchers.map((dispatchers) => ({
    name: `${dispatchers} at ${latencyMs} ms, ${senders} senders`,
    round: async () => {
      const { rate, claims } = await send(bench, upstream, { senders, latencyMs, dispatchers });
      counts.push(claims);
      return rate;
    },
  }));
  const scores = [...(await takeTurns(contestants, bench)).values()];
  const works = scene.dispatchers.map((dispatchers) =>
    `${dispatchers} dispatchers, ${senders} senders, ${latencyMs} ms upstream`
  );
  const rows = scores.slice(1).map((score, index) => {
    const row = comparisonRow({
      work: works[index + 1]!,
      against: "one dispatcher",
      ours: score.rounds,
      theirs: scores[0]!.rounds,
      show: perSecond,
    });
    if (min === undefined) return row;
    const aim = `≥ ${min} on ${MIN_CORES} cores`;
    return os.availableParallelism() < MIN_CORES ? { ...row, aim } : { ...row, aim, met: row.ratio! >= min };
  });
  return min === undefined ? rows : [...rows, claimsRow(works.at(-1)!, counts)];
}

/** Claims come back empty only when nothing is due, or when the senders that have it are another claim's. */
function claimsRow(work: string, counts: ClaimCounts[]): Row {
  const sum = (of: keyof ClaimCounts) => counts.reduce((total, count) => total + count[of], 0);
  const missed = sum("missed");
  return {
    work: `${work}: claims that return nothing while a free sender has something due`,
    against: "-",
    aim: "0",
    ours: `${missed} of ${sum("claims")}, ${sum("empty")} empty`,
    theirs: "-",
    met: missed === 0,
  };
}

async function send(
  { server, quick }: Bench,
  upstream: Upstream,
  { senders, latencyMs, dispatchers }: { senders: number; latencyMs: number; dispatchers: number },
): Promise<{ rate: number; claims: ClaimCounts }> {
  const count = quick ? 64 * 64 : 64 * 640;
  const url = await server.create("bench_dispatchers");
  const sql = await migrate(url);
  const readClaims = await countClaims(sql);
  await upstream.reset(latencyMs);
  // All of them are there before there is something to send, and everything is due at one moment.
  const running = await Promise.all(
    Array.from({ length: dispatchers }, () => startDispatcher(url, upstream.url)),
  );
  const tenants = await Promise.all(Array.from({ length: senders }, () => addTenant(sql)));
  const dueMs = Date.now() + 2000 + count / 5;
  await Promise.all(
    tenants.map((tenant) =>
      fillCampaign(sql, tenant, { count: count / senders, dueInS: (dueMs - Date.now()) / 1000 })
    ),
  );
  if (Date.now() > dueMs) throw new Error("Filling took too long: the campaigns are due already");
  const figures = await upstream.untilTaken(count);
  const claims = await readClaims();
  await Promise.all(running.map((dispatcher) => dispatcher.stop()));
  await sql.end();
  await server.drop("bench_dispatchers");
  return { rate: rateOf(figures), claims };
}

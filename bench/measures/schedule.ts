import { installPeers } from "../peers/install.ts";
import { FIRST_NUMBER, latenessOf } from "../schedule/lone_messages.ts";
import { loneMeanwhile } from "../schedule/lone_meanwhile.ts";
import { sleepUntil } from "../schedule/sleep_until.ts";
import { untilClaimable } from "../schedule/until_claimable.ts";
import { percentile } from "../setup/median.ts";
import { startProcess } from "../setup/processes.ts";
import { startUpstream, type Upstream } from "../setup/upstream.ts";
import type { Bench, Row } from "./measure.ts";

/** Of a sender with default settings. */
const DEFAULT_RATE = 80;
const NO_RATE = 1_000_000;
const MAX_LATE_MS = 100;
/** Jobs of the peer: few, because it is so slow that few show the difference. */
const PEER_JOBS = 40;
const PEER_EVERY_MS = 510;

/** A large campaign due at one moment: when it can be sent, and how long messages of others wait for it. */
export async function measureSchedule(bench: Bench): Promise<Row[]> {
  const { quick, report } = bench;
  const count = quick ? 10_000 : 100_000;
  const seconds = quick ? 4 : 40;
  const upstream = await startUpstream();
  try {
    const claimable = await untilClaimable(bench, count);
    report(`claimable ${claimable} ms after they were due`);
    const meanwhile = async (ratePerSecond: number) => {
      const lateness = await loneMeanwhile(bench, upstream, { burst: { count, ratePerSecond }, seconds });
      report(`lone messages meanwhile: ${describe(lateness)}`);
      return lateness;
    };
    const [paced, unpaced] = [await meanwhile(DEFAULT_RATE), await meanwhile(NO_RATE)];
    const burst = `${count.toLocaleString("en")} due at once`;
    return [
      withinASecond(`${burst}: until one claim takes all`, claimable, `${claimable} ms`),
      lateRow(`lone messages meanwhile, ${DEFAULT_RATE}/s for the burst, p99`, paced),
      lateRow("lone messages meanwhile, no limit for the burst, p99", unpaced),
      ...quick ? [] : await againstPeer(bench, upstream),
    ];
  } finally {
    await upstream.stop();
  }
}

function describe(lateness: number[]): string {
  const ms = (share: number) => Math.round(percentile(lateness, share));
  return `p50 ${ms(0.5)} ms, p99 ${ms(0.99)} ms of ${lateness.length}`;
}

function withinASecond(work: string, ms: number, ours: string): Row {
  return {
    work,
    against: "a second",
    aim: "< 1",
    ours,
    theirs: "1,000 ms",
    ratio: ms / 1000,
    met: ms < 1000,
  };
}

function lateRow(work: string, lateness: number[]): Row {
  return {
    work,
    against: "-",
    aim: `< ${MAX_LATE_MS} ms`,
    ours: describe(lateness),
    theirs: "-",
    met: percentile(lateness, 0.99) < MAX_LATE_MS,
  };
}

/** How late a lone job is when there is nothing else to do. */
async function againstPeer(bench: Bench, upstream: Upstream): Promise<Row[]> {
  const ours = await loneMeanwhile(bench, upstream, {
    burst: { count: 0, ratePerSecond: NO_RATE },
    seconds: PEER_JOBS * PEER_EVERY_MS / 1000,
  });
  const theirs = await peerLateness(bench, upstream);
  bench.report(`nothing else to do: ${describe(ours)}; graphile_worker ${describe(theirs)}`);
  return ([["p50", 0.5], ["p99", 0.99]] as const).map(([name, share]) => {
    const [mine, peer] = [percentile(ours, share), percentile(theirs, share)];
    return {
      work: `lone messages, nothing else to do, ${name}`,
      against: "graphile_worker, node, default",
      ours: `${Math.round(mine)} ms`,
      theirs: `${Math.round(peer)} ms`,
      ratio: mine / peer,
    };
  });
}

async function peerLateness({ server, folder }: Bench, upstream: Upstream): Promise<number[]> {
  const peers = await installPeers(folder);
  const url = await server.create("bench_peer");
  await upstream.reset(0);
  const jobs = { count: PEER_JOBS, startMs: Date.now() + 5000, everyMs: PEER_EVERY_MS };
  const figures = [jobs.count, jobs.startMs, jobs.everyMs, FIRST_NUMBER].map(String);
  const args = [peers.node, "graphile_worker_lone.mjs", url, upstream.url, ...figures];
  const process = await startProcess(args, { cwd: peers.folder });
  await sleepUntil(jobs.startMs + jobs.count * jobs.everyMs + 4000);
  const lateness = latenessOf(jobs, await upstream.figures());
  await process.stop("SIGKILL");
  await server.drop("bench_peer");
  return lateness;
}

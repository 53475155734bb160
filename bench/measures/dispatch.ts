import { installPeers, type Peers } from "../peers/install.ts";
import { type Certificate, createCertificate } from "../setup/certificate.ts";
import { costRows, costsOf, type MessageCosts } from "../setup/message_costs.ts";
import { startProcess } from "../setup/processes.ts";
import { startDispatcher } from "../setup/service.ts";
import { rateOf, startUpstream, type Upstream } from "../setup/upstream.ts";
import { untilSent } from "../setup/until_sent.ts";
import { type Contestant, type Score, takeTurns } from "../setup/take_turns.ts";
import { addNeighbours, addTenant, fillCampaign, migrate } from "../setup/tenants.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";

/** How many the bare loops have in flight, where peers are at their best. */
const IN_FLIGHT = 64;

/** Senders of other companies that wait for next week. */
const NEIGHBOURS = 5_000;

/** Of processor time per message. */
const MAX_COST_US = 170;

/** With default settings peers get less to do: pg-boss looks for one job every two seconds. */
const FEW: Record<string, number> = { graphile_worker: 2_000, pg_boss: 6 };

/**
 * Sending what is queued, all guarantees on, against bare loops over `fetch` and over sockets, graphile-worker,
 * pg-boss and River; with senders that wait, and over TLS, against ourselves.
 */
export async function measureDispatch(bench: Bench): Promise<Row[]> {
  const { folder, quick, rounds, report } = bench;
  report("installing the peers");
  const peers = await installPeers(folder);
  const certificate = await createCertificate(folder);
  if (certificate === undefined) report("There is no openssl: TLS is left out");
  const { river } = peers;
  if (river === undefined) report("There is no Go: River is left out");
  const upstream = await startUpstream();
  const secureUpstream = certificate && await startUpstream(certificate);
  const count = quick ? 5_000 : 30_000;
  const costs: MessageCosts[] = [];
  try {
    const contestants: Contestant[] = [
      { name: "ours, 0 ms", round: () => sendOurs(bench, upstream, { count, latencyMs: 0, costs }) },
      {
        name: `ours, 0 ms, ${NEIGHBOURS} wait`,
        round: () => sendOurs(bench, upstream, { count, latencyMs: 0, neighbours: NEIGHBOURS }),
      },
      { name: "ours, 50 ms", round: () => sendOurs(bench, upstream, { count, latencyMs: 50 }) },
      ...secureUpstream
        ? [{
          name: "ours, 50 ms, TLS",
          round: () => sendOurs(bench, secureUpstream, { count, latencyMs: 50, certificate }),
        }]
        : [],
      ...["deno", "node"].map((runtime) => ({
        name: `fetch loop, ${runtime}`,
        round: () => loop(peers, upstream, { runtime, script: "fetch_loop.mjs", count }),
      })),
      {
        name: "socket loop, deno",
        round: () => loop(peers, upstream, { runtime: "deno", script: "socket_loop.mjs", count }),
      },
      ...["graphile_worker", "pg_boss"].flatMap((peer) => [
        {
          name: `${peer}, deno, best`,
          round: () => sendPeer(bench, peers, upstream, { peer, runtime: "deno", settings: "best", count }),
        },
        {
          name: `${peer}, node, best`,
          round: () => sendPeer(bench, peers, upstream, { peer, runtime: "node", settings: "best", count }),
        },
        {
          name: `${peer}, node, default`,
          round: () =>
            sendPeer(bench, peers, upstream, {
              peer,
              runtime: "node",
              settings: "default",
              count: FEW[peer]!,
            }),
        },
      ]),
      ...river
        ? [0, 50].map((latencyMs) => ({
          name: `river, ${latencyMs} ms`,
          round: () => sendByProgram(bench, peers, upstream, { program: [river], count, latencyMs }),
        }))
        : [],
    ];
    const rows = rowsOf(await takeTurns(contestants, { rounds, report }));
    return [...rows, ...costRows("dispatch, 0 ms upstream", costs, MAX_COST_US)];
  } finally {
    await upstream.stop();
    await secureUpstream?.stop();
  }
}

/** The work of one of our dispatchers. */
interface OurWork {
  count: number;
  latencyMs: number;
  /** Senders of other companies that wait for next week. */
  neighbours?: number;
  /** The platform's, where it speaks TLS. */
  certificate?: Certificate | undefined;
  /** Settings of the dispatcher that differ from the benchmark's own. */
  settings?: Record<string, string>;
  /** Receives what it cost. */
  costs?: MessageCosts[];
}

/** Messages per second that one dispatcher sends, start to end of a campaign. */
export async function sendOurs(
  { server }: Bench,
  upstream: Upstream,
  { count, latencyMs, neighbours = 0, certificate, settings, costs }: OurWork,
): Promise<number> {
  const url = await server.create("bench_dispatch");
  const sql = await migrate(url);
  if (neighbours > 0) await addNeighbours(sql, neighbours);
  await fillCampaign(sql, await addTenant(sql), { count });
  await upstream.reset(latencyMs);
  const dispatcher = await startDispatcher(url, upstream.url, { trusted: certificate, settings });
  let rate = 0;
  const cost = await costsOf(server, [dispatcher.pid], async () => {
    rate = rateOf(await upstream.untilTaken(count));
    await untilSent([sql], count);
    return count;
  });
  costs?.push(cost);
  await dispatcher.stop();
  await sql.end();
  await server.drop("bench_dispatch");
  return rate;
}

function command(peers: Peers, runtime: string, script: string): string[] {
  return runtime === "node"
    ? [peers.node, script]
    : [Deno.execPath(), "run", "-A", "--quiet", "--node-modules-dir=manual", script];
}

async function loop(
  peers: Peers,
  upstream: Upstream,
  { runtime, script, count }: { runtime: string; script: string; count: number },
): Promise<number> {
  await upstream.reset(0);
  const args = [...command(peers, runtime, script), upstream.url, String(count), String(IN_FLIGHT)];
  const process = await startProcess(args, { cwd: peers.folder });
  const figures = await upstream.untilTaken(count);
  await process.stop();
  return rateOf(figures);
}

function sendPeer(
  bench: Bench,
  peers: Peers,
  upstream: Upstream,
  { peer, runtime, settings, count }: { peer: string; runtime: string; settings: string; count: number },
): Promise<number> {
  const program = command(peers, runtime, `${peer}.mjs`);
  return sendByProgram(bench, peers, upstream, { program, settings, count, latencyMs: 0 });
}

/** Messages per second of a program that gets a database, the platform, how many, and its settings. */
async function sendByProgram(
  { server }: Bench,
  peers: Peers,
  upstream: Upstream,
  { program, settings, count, latencyMs }: {
    program: string[];
    settings?: string;
    count: number;
    latencyMs: number;
  },
): Promise<number> {
  const url = await server.create("bench_peer");
  await upstream.reset(latencyMs);
  const args = [...program, url, upstream.url, String(count), ...settings ? [settings] : []];
  const process = await startProcess(args, { cwd: peers.folder });
  const figures = await upstream.untilTaken(count);
  await process.stop("SIGKILL");
  await server.drop("bench_peer");
  return rateOf(figures);
}

function rowsOf(scores: Map<string, Score>): Row[] {
  const of = (name: string) => scores.get(name)!.median;
  const against = (
    work: string,
    name: string,
    min: number,
    ourName = "ours, 0 ms",
    mine = of(ourName),
  ): Row => ({
    work,
    against: name,
    aim: `${min === 1 ? ">" : "≥"} ${min}`,
    ours: perSecond(mine),
    theirs: perSecond(of(name)),
    ratio: mine / of(name),
    met: min === 1 ? mine > of(name) : mine / of(name) >= min,
    rounds: { ours: scores.get(ourName)!.rounds, theirs: scores.get(name)!.rounds },
  });
  const work = "dispatch, 0 ms upstream";
  return [
    against(work, "fetch loop, deno", 0.8),
    against(work, "socket loop, deno", 0.2),
    ...["graphile_worker", "pg_boss"].flatMap((peer) => [
      against(work, `${peer}, deno, best`, 1),
      against(work, `${peer}, node, best`, 1),
      against(work, `${peer}, node, default`, 3),
    ]),
    ...scores.has("river, 0 ms")
      ? [
        against(work, "river, 0 ms", 1),
        against("dispatch, 50 ms upstream", "river, 50 ms", 1, "ours, 50 ms"),
      ]
      : [],
    against("dispatch, 50 ms upstream", "ours, 0 ms", 0.7, "ours, 50 ms"),
    ...scores.has("ours, 50 ms, TLS")
      ? [against("dispatch, 50 ms upstream, TLS", "ours, 50 ms", 0.9, "ours, 50 ms, TLS")]
      : [],
    against(
      `dispatch, ${NEIGHBOURS.toLocaleString("en")} senders of others wait for later`,
      "ours, 0 ms",
      0.95,
      `ours, 0 ms, ${NEIGHBOURS} wait`,
    ),
  ];
}

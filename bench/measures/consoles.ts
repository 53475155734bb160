import { openViewers } from "../load/viewers.ts";
import { logIn, startStandIns } from "../setup/log_in.ts";
import { startService } from "../setup/service.ts";
import { takeTurns } from "../setup/take_turns.ts";
import { addTenant, fillCampaign, migrate } from "../setup/tenants.ts";
import { rateOf, startUpstream, type Upstream } from "../setup/upstream.ts";
import { comparisonRow } from "./comparison_row.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";

const CONSOLES = 50;
/** A member may have 20 open consoles in a company. */
const USERS = 5;

/** The speed of a campaign while consoles follow it, against the same campaign unwatched. */
export async function measureConsoles(bench: Bench): Promise<Row[]> {
  const upstream = await startUpstream();
  const count = bench.quick ? 5_000 : 50_000;
  const sendBeside = (consoles: number) => () => send(bench, upstream, { count, consoles });
  try {
    const scores = await takeTurns([
      { name: "unwatched", round: sendBeside(0) },
      { name: `${CONSOLES} consoles`, round: sendBeside(CONSOLES) },
    ], bench);
    return [comparisonRow({
      work: `a campaign of ${count.toLocaleString("en")}, followed by ${CONSOLES} consoles on the overview`,
      against: "unwatched",
      ours: scores.get(`${CONSOLES} consoles`)!.rounds,
      theirs: scores.get("unwatched")!.rounds,
      show: perSecond,
      min: 0.97,
    })];
  } finally {
    await upstream.stop();
  }
}

/** The API, its dispatcher and the consoles' streams share one process, as with `deno task serve` alone. */
async function send(
  { server }: Bench,
  upstream: Upstream,
  { count, consoles }: { count: number; consoles: number },
): Promise<number> {
  const url = await server.create("bench_consoles");
  const sql = await migrate(url);
  const standIns = await startStandIns(url);
  const service = await startService(url, upstream.url, standIns.settings);
  const tenant = await addTenant(sql);
  const { baseUrl } = service;
  const tokens = await logIn(sql, baseUrl, standIns, { users: USERS, tenants: [tenant] });
  const viewers = openViewers({ baseUrl, tokens, companyIds: [tenant.company.id], count: consoles });
  await viewers.ready;
  await upstream.reset(0);
  await fillCampaign(sql, tenant, { count });
  const figures = await upstream.untilTaken(count);
  const { failedReads, events } = viewers.figures();
  await viewers.close();
  for (const process of [service, standIns]) await process.stop();
  await sql.end();
  await server.drop("bench_consoles");
  if (failedReads > 0 || (consoles > 0 && events === 0)) {
    throw new Error(`consoles: ${events} events, ${failedReads} failed reads`);
  }
  return rateOf(figures);
}

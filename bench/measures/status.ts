import { runHttpLoad } from "../load/http_load.ts";
import { readRecipients } from "../load/read_recipients.ts";
import { startService } from "../setup/service.ts";
import { takeTurns } from "../setup/take_turns.ts";
import { addTenant, fillCampaign, migrate } from "../setup/tenants.ts";
import { comparisonRow } from "./comparison_row.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";

const FEW = 100;
const CONNECTIONS = 8;
const MAX_RATIO = 1.2;

/** A campaign's status, and reading what became of its recipients, whatever its size. */
export async function measureStatus(bench: Bench): Promise<Row[]> {
  const { server, quick, rounds, report } = bench;
  const many = quick ? 100_000 : 1_000_000;
  const url = await server.create("bench_status");
  const sql = await migrate(url);
  const tenant = await addTenant(sql);
  report(`putting ${many.toLocaleString("en")} notifications into the database`);
  const campaigns = {
    few: await fillCampaign(sql, tenant, { count: FEW, status: "sent" }),
    many: await fillCampaign(sql, tenant, { count: many, status: "sent" }),
  };
  await sql`vacuum analyze`;
  const service = await startService(url);
  const key = tenant.key.key;
  const statusOf = (campaign: string) =>
    `${service.baseUrl}/notify/status?access_key=${key}&campaign_id=${campaign}`;
  const recipientsOf = (campaign: string) =>
    `${service.baseUrl}/manage/companies/mine/campaigns/${campaign}/recipients?access_key=${key}&format=csv`;
  /** Milliseconds per request, one after the other. */
  const times = { few: [] as number[], many: [] as number[] };
  const ask = async (size: "few" | "many", connections: number) => {
    const seconds = quick ? 1 : 5;
    const load = { url: statusOf(campaigns[size]), method: "GET", connections, seconds } as const;
    const result = await runHttpLoad(load);
    if (connections === 1) times[size].push(1000 / result.rate);
    return result.rate;
  };
  const pages = { first: [] as number[], last: [] as number[] };
  const read = async () => {
    const { total, first, last } = await readRecipients(recipientsOf(campaigns.many), many / 10);
    if (total !== many) throw new Error(`${total} of ${many} recipients were listed`);
    pages.first.push(first);
    pages.last.push(last);
    return total;
  };
  try {
    await runHttpLoad({
      url: statusOf(campaigns.few),
      method: "GET",
      connections: CONNECTIONS,
      seconds: 2,
    });
    const scores = await takeTurns([
      { name: `${FEW}, one connection`, round: () => ask("few", 1) },
      { name: "many, one connection", round: () => ask("many", 1) },
      { name: `${FEW}`, round: () => ask("few", CONNECTIONS) },
      { name: "many", round: () => ask("many", CONNECTIONS) },
      { name: "recipients read", round: read },
    ], { rounds, report });
    const against = `the same of ${FEW}`;
    const show = (ms: number) => `${ms.toFixed(2)} ms`;
    const inSeconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
    const [size, tenth] = [number(many), number(many / 10)];
    return [
      comparisonRow({
        work: `GET /notify/status of ${size}, one connection, time per request`,
        against,
        ours: times.many,
        theirs: times.few,
        show,
        max: MAX_RATIO,
      }),
      comparisonRow({
        work: `the same, ${CONNECTIONS} connections`,
        against,
        ours: scores.get("many")!.rounds,
        theirs: scores.get(`${FEW}`)!.rounds,
        show: perSecond,
        min: Number((1 / MAX_RATIO).toFixed(2)),
      }),
      comparisonRow({
        work: `recipients as a file, the last ${tenth} of ${size}`,
        against: `the first ${tenth}`,
        ours: pages.last,
        theirs: pages.first,
        show: inSeconds,
        max: MAX_RATIO,
      }),
    ];
  } finally {
    await Promise.all([service.stop(), sql.end()]);
    await server.drop("bench_status");
  }
}

function number(count: number): string {
  return count.toLocaleString("en");
}

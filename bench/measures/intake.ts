import { runHttpLoad } from "../load/http_load.ts";
import { costRows, costsOf, type MessageCosts } from "../setup/message_costs.ts";
import { denoArgs, freePort, startProcess } from "../setup/processes.ts";
import { startService } from "../setup/service.ts";
import { takeTurns } from "../setup/take_turns.ts";
import { addTenant, migrate } from "../setup/tenants.ts";
import { comparisonRow } from "./comparison_row.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";
import { requestBody } from "./request_body.ts";

const CONNECTIONS = 32;
/** Of processor time per message. */
const MAX_COST_US = 230;
const DATABASES = ["bench_intake", "bench_minimal", "bench_plain"] as const;

/**
 * `POST /notify` for one contact, durable and with all its checks, against the least a server could do, and against the
 * same checks written plainly.
 */
export async function measureIntake(bench: Bench): Promise<Row[]> {
  const { server, quick, rounds, report } = bench;
  const [ourUrl, minimalUrl, plainUrl] = [
    await server.create(DATABASES[0]),
    await server.create(DATABASES[1]),
    await server.create(DATABASES[2]),
  ];
  const sql = await migrate(ourUrl);
  const tenant = await addTenant(sql);
  const { key: { key }, sender, template } = tenant;
  const service = await startService(ourUrl);
  const start = async (script: string, ...args: string[]) => {
    const port = freePort();
    const [databaseUrl, ...others] = args;
    const command = [...denoArgs(`bench/peers/${script}`), databaseUrl!, String(port), ...others];
    return { process: await startProcess(command), url: `http://127.0.0.1:${port}/notify` };
  };
  const minimal = await start("minimal_server.ts", minimalUrl);
  const plain = await start(
    "plain_server.ts",
    plainUrl,
    key,
    sender.number,
    template.name,
    template.language,
  );
  const urls = {
    ours: `${service.baseUrl}/notify?access_key=${key}`,
    minimal: minimal.url,
    plain: `${plain.url}?access_key=${key}`,
  };
  const names = Object.keys(urls) as (keyof typeof urls)[];
  const body = JSON.stringify(requestBody(tenant, 1));
  const costs: MessageCosts[] = [];
  const p99 = { ours: [] as number[], minimal: [] as number[], plain: [] as number[] };
  const load = (name: keyof typeof urls, seconds: number) =>
    runHttpLoad({ url: urls[name], method: "POST", body, connections: CONNECTIONS, seconds });
  const round = async (name: keyof typeof urls) => {
    const seconds = quick ? 2 : 8;
    let result: Awaited<ReturnType<typeof load>>;
    const cost = await costsOf(server, [service.pid], async () => {
      result = await load(name, seconds);
      return result.rate * seconds;
    });
    if (name === "ours") costs.push(cost);
    p99[name].push(result!.p99);
    return result!.rate;
  };
  try {
    for (const name of names) await load(name, 2);
    report("warmed up");
    const scores = await takeTurns(names.map((name) => ({ name, round: () => round(name) })), {
      rounds,
      report,
    });
    const rates = (name: string) => scores.get(name)!.rounds;
    const show = (ms: number) => `${ms.toFixed(1)} ms`;
    const work = `POST /notify, single, ${CONNECTIONS} connections`;
    const [least, same] = ["Hono + zod + one INSERT", "the same checks, plainly: three queries, two INSERTs"];
    const rate = { work, ours: rates("ours"), show: perSecond };
    const slowest = { work: "the same, p99", ours: p99.ours, show };
    return [
      comparisonRow({ ...rate, against: least, theirs: rates("minimal"), min: 1.5 }),
      comparisonRow({ ...slowest, against: least, theirs: p99.minimal, max: 1 }),
      comparisonRow({ ...rate, against: same, theirs: rates("plain"), min: 2.5 }),
      comparisonRow({ ...slowest, against: same, theirs: p99.plain }),
      ...costRows(work, costs, MAX_COST_US),
    ];
  } finally {
    await Promise.all([service.stop(), minimal.process.stop(), plain.process.stop(), sql.end()]);
    for (const name of DATABASES) await server.drop(name);
  }
}

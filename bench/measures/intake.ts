import { runHttpLoad } from "../load/http_load.ts";
import { median } from "../setup/median.ts";
import { denoArgs, freePort, startProcess } from "../setup/processes.ts";
import { startService } from "../setup/service.ts";
import { takeTurns } from "../setup/take_turns.ts";
import { addTenant, migrate } from "../setup/tenants.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";
import { requestBody } from "./request_body.ts";

const CONNECTIONS = 32;

/** `POST /notify` for one contact, durable and with all its checks, against the least a server could do. */
export async function measureIntake(bench: Bench): Promise<Row[]> {
  const { server, quick, rounds, report } = bench;
  const [ourUrl, theirUrl] = [await server.create("bench_intake"), await server.create("bench_minimal")];
  const sql = await migrate(ourUrl);
  const tenant = await addTenant(sql);
  const service = await startService(ourUrl);
  const port = freePort();
  const minimal = await startProcess([...denoArgs("bench/peers/minimal_server.ts"), theirUrl, String(port)]);
  const body = JSON.stringify(requestBody(tenant, 1));
  const p99: Record<string, number[]> = { ours: [], minimal: [] };
  const load = async (name: string, url: string, seconds = quick ? 2 : 8) => {
    const result = await runHttpLoad({ url, method: "POST", body, connections: CONNECTIONS, seconds });
    p99[name]?.push(result.p99);
    return result.rate;
  };
  const ours = `${service.baseUrl}/notify?access_key=${tenant.key.key}`;
  const theirs = `http://127.0.0.1:${port}/notify`;
  try {
    await load("warm-up", ours, 2);
    await load("warm-up", theirs, 2);
    const scores = await takeTurns([
      { name: "ours", round: () => load("ours", ours) },
      { name: "minimal", round: () => load("minimal", theirs) },
    ], { rounds, report });
    const [mine, peer] = [scores.get("ours")!.median, scores.get("minimal")!.median];
    const [ourP99, theirP99] = [median(p99.ours!), median(p99.minimal!)];
    return [{
      work: `POST /notify, single, ${CONNECTIONS} connections`,
      against: "Hono + zod + one INSERT",
      aim: "≥ 1.5",
      ours: perSecond(mine),
      theirs: perSecond(peer),
      ratio: mine / peer,
      met: mine / peer >= 1.5,
      rounds: { ours: scores.get("ours")!.rounds, theirs: scores.get("minimal")!.rounds },
    }, {
      work: "the same, p99",
      against: "Hono + zod + one INSERT",
      aim: "≤ 1",
      ours: `${ourP99.toFixed(1)} ms`,
      theirs: `${theirP99.toFixed(1)} ms`,
      ratio: ourP99 / theirP99,
      met: ourP99 <= theirP99,
      rounds: { ours: p99.ours!, theirs: p99.minimal! },
    }];
  } finally {
    await Promise.all([service.stop(), minimal.stop(), sql.end()]);
    await server.drop("bench_intake");
    await server.drop("bench_minimal");
  }
}

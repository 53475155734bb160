import assert from "node:assert/strict";
import postgres from "postgres";
import { runHttpLoad } from "../load/http_load.ts";
import { runPgbench } from "../load/pgbench.ts";
import { denoArgs, freePort, startProcess } from "../setup/processes.ts";
import { startService } from "../setup/service.ts";
import { takeTurns } from "../setup/take_turns.ts";
import { addTenant, migrate } from "../setup/tenants.ts";
import { comparisonRow } from "./comparison_row.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";
import { requestBody } from "./request_body.ts";

const CONTACTS = 100;

/** As many as for single requests, for pgbench too, which does as well with 4 as with 32. */
const CONNECTIONS = 32;

/** One INSERT of a hundred rows into the minimal server's table; nothing to parse or to bind each time. */
const INSERT = `insert into notifications (number, template, language, sender, type, campaign, message) values
${
  Array.from({ length: CONTACTS }, (_, index) =>
    `('${34600000000 + index}', 'order_ready', 'en', '34911222333', 'utility', 'Bench', ` +
    `'{"body_text_0": "Ana", "body_text_1": "A-1001"}')`).join(",\n")
};
`;

/** `POST /notify` for 100 contacts, against as many rows of one INSERT, by pgbench and by the minimal server. */
export async function measureBulk(bench: Bench): Promise<Row[]> {
  const { server, quick, rounds, report } = bench;
  const [ourUrl, theirUrl] = [await server.create("bench_bulk"), await server.create("bench_minimal")];
  const sql = await migrate(ourUrl);
  const theirSql = postgres(theirUrl, { max: 1 });
  const tenant = await addTenant(sql);
  const service = await startService(ourUrl);
  const port = freePort();
  const minimal = await startProcess([...denoArgs("bench/peers/minimal_server.ts"), theirUrl, String(port)]);
  const ours = `${service.baseUrl}/notify?access_key=${tenant.key.key}`;
  const theirs = `http://127.0.0.1:${port}/notify`;
  const body = JSON.stringify(requestBody(tenant, CONTACTS));
  const seconds = quick ? 1 : 8;
  // Every contender begins each round with an empty table: what the one before left behind is another measure's matter.
  // One at a time: a request of the round before may still be under way, and locks its tables in another order.
  const emptyOurs = async () => {
    for (const table of ["campaigns", "notification_facts", "queue"]) {
      await sql`truncate ${sql(`outbound.${table}`)} cascade`;
    }
  };
  const emptyTheirs = () => theirSql`truncate notifications`;
  const post = async (url: string, duration = seconds) => {
    const load = { url, method: "POST", body, connections: CONNECTIONS, seconds: duration } as const;
    return CONTACTS * (await runHttpLoad(load)).rate;
  };
  try {
    await assertAllAccepted(ours, body);
    await post(ours, quick ? 1 : 2);
    await post(theirs, quick ? 1 : 2);
    const scores = await takeTurns([
      { name: "ours", round: () => emptyOurs().then(() => post(ours)) },
      {
        name: "pgbench",
        round: async () => {
          await emptyTheirs();
          const { binaries } = server;
          const load = { binaries, databaseUrl: theirUrl, script: INSERT, clients: CONNECTIONS, seconds };
          return CONTACTS * await runPgbench(load);
        },
      },
      { name: "minimal", round: () => emptyTheirs().then(() => post(theirs)) },
    ], { rounds, report });
    const row = (work: string, against: string, peer: string, min?: number) =>
      comparisonRow({
        work,
        against,
        ours: scores.get("ours")!.rounds,
        theirs: scores.get(peer)!.rounds,
        show: perSecond,
        ...(min !== undefined && { min }),
      });
    const work = `POST /notify, ${CONTACTS} contacts, ${CONNECTIONS} connections`;
    return [
      row(work, "pgbench, 100 rows an INSERT", "pgbench", 0.45),
      row("the same", "Hono + zod + one INSERT", "minimal"),
    ];
  } finally {
    await Promise.all([service.stop(), minimal.stop(), sql.end(), theirSql.end()]);
    await server.drop("bench_bulk");
    await server.drop("bench_minimal");
  }
}

/** A bulk request gets 200 whatever becomes of its contacts; these must all be stored. */
async function assertAllAccepted(url: string, body: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await (await fetch(url, { method: "POST", headers, body })).json();
  assert.deepEqual([answer.total, answer.processed, answer.failed], [CONTACTS, CONTACTS, 0]);
}

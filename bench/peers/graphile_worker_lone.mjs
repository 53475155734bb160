/**
 * Jobs one at a time, each due at a moment of its own, with graphile-worker's default settings.
 * Usage: graphile_worker_lone.mjs DATABASE_URL UPSTREAM_URL COUNT START_MS EVERY_MS FIRST_NUMBER
 */
import process from "node:process";
import { makeWorkerUtils, run } from "graphile-worker";
import { sendMessage } from "./send_message.mjs";

const [databaseUrl, upstream, ...figures] = process.argv.slice(2);
const [count, startMs, everyMs, firstNumber] = figures.map(Number);
const utils = await makeWorkerUtils({ connectionString: databaseUrl });
await utils.migrate();
await utils.addJobs(
  Array.from({ length: count }, (_, n) => ({
    identifier: "send",
    payload: { number: String(firstNumber + n), text: "Ana" },
    runAt: new Date(startMs + n * everyMs),
  })),
);
await utils.release();
const silent = { error() {}, warn() {}, info() {}, debug() {}, scope: () => silent };
console.log("ready");
await run({
  connectionString: databaseUrl,
  logger: silent,
  taskList: { send: async (payload) => void await sendMessage(upstream, payload) },
});

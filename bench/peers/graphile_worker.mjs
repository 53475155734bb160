/**
 * The same sending as jobs of graphile-worker. Runs on Deno and on Node.
 * Usage: graphile_worker.mjs DATABASE_URL UPSTREAM_URL COUNT best|default
 *
 * best: the settings that gave its best figure here (64 at a time, a local queue of 500, completions in batches).
 * default: as its documentation starts it.
 */
import process from "node:process";
import { makeWorkerUtils, run } from "graphile-worker";
import { sendMessage } from "./send_message.mjs";

const [databaseUrl, upstream, count, settings] = process.argv.slice(2);
const utils = await makeWorkerUtils({ connectionString: databaseUrl });
await utils.migrate();
for (let from = 0; from < Number(count); from += 5000) {
  const size = Math.min(5000, Number(count) - from);
  await utils.addJobs(
    Array.from({ length: size }, (_, n) => ({
      identifier: "send",
      payload: { number: String(34600000000 + from + n), text: "Ana" },
    })),
  );
}
await utils.release();
const silent = { error() {}, warn() {}, info() {}, debug() {}, scope: () => silent };
const best = {
  concurrentJobs: 64,
  preset: {
    worker: {
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      concurrentJobs: 64,
      maxPoolSize: 10,
    },
  },
};
console.log("ready");
await run({
  connectionString: databaseUrl,
  logger: silent,
  ...(settings === "best" ? best : {}),
  taskList: { send: async (payload) => void await sendMessage(upstream, payload) },
});

/**
 * The same sending as jobs of pg-boss. Runs on Deno and on Node.
 * Usage: pg_boss.mjs DATABASE_URL UPSTREAM_URL COUNT best|default
 *
 * best: the settings that gave its best figure here: batches of 10,000 sent 64 at a time, their completion in one
 * statement (batches of 500: 1,000/s, 2,000: 5,000/s, 5,000: 13,000/s). What a crash interrupts is sent again, up to
 * 10,000 messages. default: as its documentation starts it.
 */
import process from "node:process";
import { PgBoss } from "pg-boss";
import { sendMessage } from "./send_message.mjs";

const [databaseUrl, upstream, count, settings] = process.argv.slice(2);
const boss = new PgBoss(databaseUrl);
boss.on("error", (error) => console.error(error));
await boss.start();
await boss.createQueue("send");
for (let from = 0; from < Number(count); from += 5000) {
  const size = Math.min(5000, Number(count) - from);
  await boss.insert(
    "send",
    Array.from(
      { length: size },
      (_, n) => ({ data: { number: String(34600000000 + from + n), text: "Ana" } }),
    ),
  );
}

async function sendAll(jobs) {
  const waiting = [...jobs];
  const lane = async () => {
    for (let job = waiting.pop(); job; job = waiting.pop()) await sendMessage(upstream, job.data);
  };
  await Promise.all(Array.from({ length: 64 }, lane));
}

console.log("ready");
await boss.work(
  "send",
  settings === "best" ? { batchSize: 10_000, pollingIntervalSeconds: 0.5 } : {},
  sendAll,
);

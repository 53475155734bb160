/**
 * The limit of all dispatching: sends one message after the other, so many in flight, and writes nothing down.
 * Runs on Deno and on Node. Usage: fetch_loop.mjs URL COUNT IN_FLIGHT
 */
import process from "node:process";
import { sendMessage } from "./send_message.mjs";

const [url, count, inFlight] = process.argv.slice(2);
let left = Number(count);

async function lane() {
  while (left-- > 0) await sendMessage(url, { number: `34600${left}`, text: "Ana" });
}

console.log("ready");
await Promise.all(Array.from({ length: Number(inFlight) }, lane));

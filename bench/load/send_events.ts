/**
 * The platform reporting on messages: requests at a fixed rate, however long the responses take. A request's time
 * counts from when it was due, so that one that had to wait for us to be ready is not counted as quick.
 * Usage: send_events.ts JOB_FILE, which holds an EventJob. Prints an EventResult.
 *
 * @module
 */
import { signWebhook } from "../../local/sandbox/webhooks/webhook_sender.ts";
import { print } from "../../cli/terminal/print.ts";
import { percentile } from "../setup/median.ts";
import { pause } from "../setup/pause.ts";
import { type EventOrder, type SentMessage, statusBodies } from "./status_events.ts";

/** The events to send, and their receiver. */
export interface EventJob {
  url: string;
  appSecret: string;
  /** Events per second. */
  rate: number;
  order: EventOrder;
  messages: SentMessage[];
}

/** How the calls went; times in milliseconds. */
export interface EventResult {
  calls: number;
  /** Not answered 200. */
  refused: number;
  p50: number;
  p99: number;
  /** When the last answer came, since 1970. */
  ended_ms: number;
}

const PATIENCE_MS = 60_000;

async function call({ url, appSecret }: EventJob, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const headers = {
    "content-type": "application/json",
    "x-hub-signature-256": signWebhook(appSecret, bytes),
  };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const answer = await fetch(url, { method: "POST", headers, body: bytes, signal });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}

async function send(job: EventJob): Promise<EventResult> {
  const encoder = new TextEncoder();
  const bodies = statusBodies(job.messages, job.order).map((body) => encoder.encode(body));
  const everyMs = 1000 * job.order.batch / job.rate;
  const begin = performance.now();
  const calls: Promise<{ took: number; taken: boolean }>[] = [];
  for (const [index, bytes] of bodies.entries()) {
    const due = begin + index * everyMs;
    await pause(due - performance.now());
    calls.push(call(job, bytes).then((taken) => ({ took: performance.now() - due, taken })));
  }
  const responses = await Promise.all(calls);
  const times = responses.map(({ took }) => took);
  return {
    calls: responses.length,
    refused: responses.filter(({ taken }) => !taken).length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    ended_ms: Date.now(),
  };
}

if (import.meta.main) {
  print(JSON.stringify(await send(JSON.parse(await Deno.readTextFile(Deno.args[0]!)))));
}

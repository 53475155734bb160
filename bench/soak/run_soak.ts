import { readSendLog } from "../../tests/faults/send_log.ts";
import type { JsonObject } from "../../tests/setup/http/http.ts";
import { openViewers } from "../load/viewers.ts";
import type { DatabaseServer } from "../setup/database_server.ts";
import { pause } from "../setup/pause.ts";
import type { Outcome } from "./judge.ts";
import { startSoakLoad } from "./load.ts";
import { readSample, type Sample, type Totals } from "./sample.ts";
import { type SoakStack, startSoakStack } from "./stack.ts";

/** How long and how hard. */
export interface SoakOptions {
  minutes: number;
  /** Messages per second. */
  rate: number;
  /** Open consoles. */
  viewers: number;
  /** Reports how many seconds have passed. */
  report(second: number, note: string): void;
}

const SAMPLE_MS = 10_000;
const KILL_MS = 60_000;
/** A lease, the window for unknown outcomes, and the events that follow. */
const MAX_SETTLE_MS = 600_000;
/** The platform keeps 50,000 messages; they are read before that. */
const MESSAGES_PER_PAGE = 10_000;

/** Runs everything, and waits until nothing is open any more. */
export async function runSoak(
  server: DatabaseServer,
  folder: string,
  options: SoakOptions,
): Promise<Outcome> {
  const stack = await startSoakStack(server, folder);
  try {
    const { baseUrl, tokens, tenants } = stack;
    const taken = createTakenReader(stack);
    const viewers = openViewers({
      ...{ baseUrl, tokens, count: options.viewers },
      companyIds: tenants.map(({ company }) => company.id),
    });
    await viewers.ready;
    const load = startSoakLoad(baseUrl, tenants, options.rate);
    const killing = startKilling(stack);
    const totals = async (): Promise<Totals> => ({
      taken: (await taken()).length,
      atMs: Date.now(),
      accepted: load.figures().accepted,
      events: viewers.figures().events,
    });
    const samples = await takeSamples(stack, totals, options);
    const consoles = { count: options.viewers, ...viewers.figures() };
    await load.stop();
    const kills = await killing.stop();
    const settledS = await untilSettled(stack);
    await viewers.close();
    return {
      ...{ samples, rate: options.rate, kills, settledS, viewers: consoles },
      ...load.figures(),
      ...await readOutcome(stack, await taken()),
    };
  } finally {
    await stack.stop();
  }
}

/** Returns a function that reads every message the platform took so far, each once. */
function createTakenReader({ platform }: SoakStack): () => Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  let last: string | undefined;
  return async () => {
    for (;;) {
      const page = await platform.messages({
        limit: String(MESSAGES_PER_PAGE),
        ...(last && { after: last }),
      });
      for (const { biz_opaque_callback_data } of page) all.push({ biz_opaque_callback_data });
      last = (page.at(-1)?.id as string | undefined) ?? last;
      if (page.length < MESSAGES_PER_PAGE) return all;
    }
  };
}

async function takeSamples(
  stack: SoakStack,
  totals: () => Promise<Totals>,
  { minutes, report }: SoakOptions,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const beganMs = Date.now();
  let before = await totals();
  for (let at = SAMPLE_MS; at <= minutes * 60_000; at += SAMPLE_MS) {
    await pause(beganMs + at - Date.now());
    const now = await totals();
    const sample = await readSample(stack, { before, now, beganMs });
    samples.push(sample);
    before = now;
    report(sample.at_s, `${sample.taken_per_s} sent per second, ${sample.due} due`);
  }
  return samples;
}

/** Kills a dispatcher every minute. `stop` returns how many. */
function startKilling(stack: SoakStack): { stop(): Promise<number> } {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<"stopped">();
  const running = (async () => {
    for (let kills = 0;; kills++) {
      if (await Promise.race([stopped, pause(KILL_MS)]) === "stopped") return kills;
      await stack.replaceDispatcher();
    }
  })();
  return {
    async stop() {
      stop("stopped");
      return await running;
    },
  };
}

/** Waits until every message has its last event. Returns the seconds that took. */
async function untilSettled({ sql }: SoakStack): Promise<number> {
  const beganMs = Date.now();
  while (Date.now() - beganMs < MAX_SETTLE_MS) {
    const [row] = await sql<{ open: boolean }[]>`
      select exists (select from outbound.notifications where status not in ('read', 'failed', 'cancelled')) as open`;
    if (!row!.open) break;
    await pause(1000);
  }
  return Math.round((Date.now() - beganMs) / 1000);
}

async function readOutcome(
  { sql }: SoakStack,
  taken: JsonObject[],
): Promise<Pick<Outcome, "sendLog" | "unread" | "wrongCounters">> {
  const { entries, lost, twice, unexplained, denied, unknownReferences } = await readSendLog(sql, taken);
  const [wrong] = await sql<{ campaigns: number }[]>`
    select count(distinct g.id)::int as campaigns from outbound.campaigns as g
    cross join lateral outbound.verify_campaign(g.company_id, g.id) as v where v.stored <> v.actual`;
  return {
    sendLog: {
      notifications: entries.length,
      lost: lost.length,
      twice: twice.length,
      unexplained: unexplained.length,
      denied: denied.length,
      unknown: unknownReferences.length,
    },
    unread: entries.filter(({ status }) => status !== "read").length,
    wrongCounters: wrong!.campaigns,
  };
}

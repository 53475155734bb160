import type postgres from "postgres";
import type { Bench } from "../measures/measure.ts";
import { startDispatcher } from "../setup/service.ts";
import type { Upstream } from "../setup/upstream.ts";
import { addTenant, migrate } from "../setup/tenants.ts";
import { fillDueAtOnce } from "./due_at_once.ts";
import { addOthers, latenessOf, scheduleLone } from "./lone_messages.ts";
import { sleepUntil } from "./sleep_until.ts";

/** Work that may still be under way when the last lone message is due. */
const GRACE_MS = 2000;
const EVERY_MS = 97;

/** The dispatcher's other work while lone messages become due. */
export interface Burst {
  /** Messages of one company, due at once; 0 for none. */
  count: number;
  ratePerSecond: number;
}

/**
 * Lone messages of many companies, one every 97 ms, while one dispatcher works off the burst of another company.
 *
 * @returns how late each was that was due while the burst was being sent, in milliseconds
 */
export async function loneMeanwhile(
  { server }: Bench,
  upstream: Upstream,
  { burst, seconds }: { burst: Burst; seconds: number },
): Promise<number[]> {
  const url = await server.create("bench_schedule");
  const sql = await migrate(url);
  try {
    const others = await addOthers(sql);
    const big = await addTenant(sql, { ratePerSecond: burst.ratePerSecond });
    await upstream.reset(0);
    const startMs = burst.count > 0 ? await fillDueAtOnce(sql, big, burst.count) : Date.now() + 3000;
    const lone = { count: Math.floor(seconds * 1000 / EVERY_MS), startMs, everyMs: EVERY_MS };
    await scheduleLone(sql, others, lone);
    const dispatcher = await startDispatcher(url, upstream.url);
    await sleepUntil(startMs + seconds * 1000 + GRACE_MS);
    const sentMs = await sentAt(sql, big.company.id);
    const lateness = latenessOf(lone, await upstream.figures(), sentMs);
    await dispatcher.stop();
    return lateness;
  } finally {
    await sql.end();
    await server.drop("bench_schedule");
  }
}

/** When the last of the burst was sent; never, when it was not or there is none. */
async function sentAt(sql: postgres.Sql, companyId: string): Promise<number> {
  const [row] = await sql<{ at: Date | null }[]>`
    select completed_at as at from outbound.campaigns where company_id = ${companyId}`;
  return row?.at?.getTime() ?? Infinity;
}

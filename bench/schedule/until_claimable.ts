import { claimNotifications } from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import type { Bench } from "../measures/measure.ts";
import { addTenant, migrate } from "../setup/tenants.ts";
import { fillDueAtOnce } from "./due_at_once.ts";
import { sleepUntil } from "./sleep_until.ts";

/** A sender's bucket holds a twentieth of a second's worth: with this rate one claim may take 100,000. */
const RATE = 10_000_000;

class Undone extends Error {}

/**
 * How long after the moment a whole campaign is due one claim can take all of it, in milliseconds. Claims are tried, and
 * undone, until one does.
 */
export async function untilClaimable({ server }: Bench, count: number): Promise<number> {
  const sql = await migrate(await server.create("bench_claimable"));
  try {
    const dueMs = await fillDueAtOnce(sql, await addTenant(sql, { ratePerSecond: RATE }), count);
    await sleepUntil(dueMs);
    while (true) {
      const askedMs = Date.now();
      let claimed = 0;
      await sql.begin(async (sql) => {
        claimed =
          (await claimNotifications(sql as never, { worker: "bench", limit: count, leaseS: 60 })).length;
        throw new Undone();
      }).catch((error) => {
        if (!(error instanceof Undone)) throw error;
      });
      if (claimed === count) return askedMs - dueMs;
    }
  } finally {
    await sql.end();
    await server.drop("bench_claimable");
  }
}

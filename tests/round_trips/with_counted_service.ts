import type postgres from "postgres";
import { createExpiringCache } from "../../supabase/functions/_shared/concurrency/expiring_cache.ts";
import { type TestLogin, withLoginOn } from "../setup/stack/login.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { type Traffic, withTrafficCounter } from "./count_round_trips.ts";

/** The service, an auth server, and what goes between the service and its database. */
export interface CountedService extends TestLogin {
  /** Past the counter, for what a test prepares and looks up. */
  direct: postgres.Sql;
  /** Returns what `work` costs the database, with all that goes on after its responses. */
  cost(work: () => Promise<unknown>): Promise<Traffic>;
  /** The same, once the caches and the connections are warm: `work` is done again until nothing has to be parsed. */
  warmCost(work: () => Promise<unknown>): Promise<Traffic>;
}

/** Each connection of the pool parses a statement once. */
const MAX_WARM_UPS = 12;

/**
 * Calls `fn` with the service on a Postgres of its own. Its query of the maintenance switch, four times per second, and
 * the requests of keys, stored once per second, are left out: no figure depends on the time a test takes.
 */
export async function withCountedService(
  fn: (t: CountedService) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const background = new Set<Promise<unknown>>();
  const services = {
    maintenance: createExpiringCache(() => Promise.resolve(null), { ttlMs: 0, maxEntries: 1 }),
    keyRequests: { record() {}, end() {} },
    inBackground: (work: Promise<unknown>) =>
      void background.add(work.finally(() => background.delete(work)).catch(() => {})),
  };
  await withPostgresDatabase(({ sql, url }) =>
    withTrafficCounter(url, (counter) =>
      withLoginOn({ service: counter.url, auth: url }, async (t) => {
        const cost = (work: () => Promise<unknown>) =>
          counter.during(async () => {
            await work();
            await Promise.all(background);
            background.clear();
          });
        const warmCost = async (work: () => Promise<unknown>) => {
          await cost(work);
          for (let left = MAX_WARM_UPS;; left--) {
            const traffic = await cost(work);
            if (traffic.parses === 0 || left === 0) return traffic;
          }
        };
        await fn({ ...t, direct: sql, cost, warmCost });
      }, { env, services }))
  );
}

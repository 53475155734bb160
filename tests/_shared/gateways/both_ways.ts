import { ConnectionPool } from "../../../supabase/functions/_shared/gateways/http1/connection_pool.ts";

let pool: ConnectionPool | undefined;

/** The connections that the running test sends through; undefined when it sends with `fetch`. */
export function connections(): ConnectionPool | undefined {
  return pool;
}

/** A test in two steps: with `fetch` and with kept connections. Both must judge alike. */
export function bothWays(name: string, fn: () => Promise<void>): Deno.TestDefinition {
  return {
    name,
    fn: async (t) => {
      await t.step("fetch", fn);
      await t.step("kept connections", async () => {
        pool = new ConnectionPool();
        try {
          await fn();
        } finally {
          await pool.close();
          pool = undefined;
        }
      });
    },
  };
}

import { ConnectionPool } from "../../../supabase/functions/_shared/gateways/http1/connection_pool.ts";

let pool: ConnectionPool | undefined;

/** The connections that the running test sends through; undefined when it sends with `fetch`. */
export function connections(): ConnectionPool | undefined {
  return pool;
}

/** Registers a test twice: with `fetch` and with kept connections. Both must judge alike. */
export function testBothWays(name: string, fn: () => Promise<void>): void {
  Deno.test(`${name} (fetch)`, fn);
  Deno.test(`${name} (kept connections)`, async () => {
    pool = new ConnectionPool();
    try {
      await fn();
    } finally {
      await pool.close();
      pool = undefined;
    }
  });
}

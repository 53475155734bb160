import type postgres from "postgres";
import { type Job, watchQueries } from "./driver_query.ts";
import { isConnectionError } from "../../error_cause.ts";

/**
 * Runs a transaction. Nothing more of it is sent once its connection is lost. By itself, the driver (postgres 3.4.9) would then
 * send `commit` or `rollback` to a socket that is gone, which ends the process, or to the connection that came in its
 * place, where it ends another transaction.
 *
 * @param args the driver's: the work, or options and the work
 * @returns `job`: the transaction as the pool counts it; `result`: of the work
 */
export function runTransaction(pool: postgres.Sql, args: unknown[]): { job: Job; result: Promise<unknown> } {
  const work = args.at(-1) as (transaction: postgres.Sql) => Promise<unknown>;
  const failed = Promise.withResolvers<never>();
  let failure: unknown;
  let hasBegun = false;

  function fail(error: unknown): void {
    failure ??= error;
    failed.reject(failure);
  }

  async function guarded(transaction: postgres.Sql): Promise<unknown> {
    if (failure !== undefined) throw failure; // rejected while it waited: the connection is there, so the driver may roll back
    hasBegun = true;
    try {
      return await work(guard(transaction));
    } finally {
      if (failure !== undefined) await new Promise(() => {}); // the driver would go on
    }
  }

  function guard(transaction: postgres.Sql): postgres.Sql {
    return watchQueries(transaction, (query) => {
      const { handler, reject } = query;
      query.handler = () => failure === undefined ? handler(query) : query.reject(failure);
      query.reject = (error) => {
        if (isConnectionError(error)) fail(error);
        reject(error);
      };
    });
  }

  const driven = (pool.begin as (...args: unknown[]) => Promise<unknown>)(...args.slice(0, -1), guarded);
  driven.catch(fail);
  return {
    job: { startedAt: performance.now(), hasConnection: () => hasBegun, reject: fail },
    result: Promise.race([driven, failed.promise]),
  };
}

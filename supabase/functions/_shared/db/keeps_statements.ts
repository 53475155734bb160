import { connect, isForgotten, type Sql } from "./connect.ts";

/** Each asks again, because a busy pooler may give the same session to both transactions by chance. */
const ROUNDS = 3;
/** A pooler with a single session lets the second transaction wait for the first. */
const WAIT_MS = 500;

/**
 * Whether a statement that was prepared in one transaction is there in the next. Behind a pooler that gives each
 * transaction another session it is not, unless the pooler carries statements along.
 */
export async function keepsStatements(databaseUrl: string): Promise<boolean> {
  const asking = connect(databaseUrl, { max: 1 });
  const holding = connect(databaseUrl, { max: 1 });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const before = await sessionOf(asking);
      const after = await whileHeld(holding, () => sessionOf(asking));
      // The statement of one session was there in another: the pooler carries it along.
      if (before !== after) break;
    }
    return true;
  } catch (error) {
    if (isForgotten(error)) return false;
    throw error;
  } finally {
    await Promise.all([asking.end({ timeout: 1 }), holding.end({ timeout: 1 })]);
  }
}

/** In a transaction, where the driver cannot repeat what was forgotten by itself. */
async function sessionOf(sql: Sql): Promise<number> {
  return await sql.begin(async (transaction) => {
    const [row] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row!.pid;
  });
}

/** Does `work` while another transaction has the session that was free, so that a pooler must give another one. */
async function whileHeld<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, WAIT_MS);
  let working: Promise<Result> | undefined;
  try {
    await sql.begin(async (transaction) => {
      await transaction`select pg_backend_pid() as pid`;
      working = work();
      await Promise.race([working.catch(() => {}), late.promise]);
    });
    return await working!;
  } finally {
    clearTimeout(timer);
  }
}

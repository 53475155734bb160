import { connect, isPreparedStatementLost, type Sql } from "./connect.ts";

/** A busy pooler may give the same session to both transactions by chance, so this checks several times. */
const ROUNDS = 3;
/** A pooler with a single session lets the second transaction wait for the first. */
const WAIT_MS = 500;

/**
 * Returns whether a statement that one transaction prepared is there in the next. Behind a pooler that gives each transaction
 * another session it is not, unless the pooler carries statements along.
 */
export async function supportsPreparedStatements(databaseUrl: string): Promise<boolean> {
  const checked = connect(databaseUrl, { max: 1 });
  const blocking = connect(databaseUrl, { max: 1 });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const before = await sessionOf(checked);
      const after = await whileBlocked(blocking, () => sessionOf(checked));
      // The statement of one session was there in another: the pooler carries it along.
      if (before !== after) break;
    }
    return true;
  } catch (error) {
    if (isPreparedStatementLost(error)) return false;
    throw error;
  } finally {
    await Promise.all([checked.end({ timeout: 1 }), blocking.end({ timeout: 1 })]);
  }
}

/** Runs in a transaction, where the driver cannot repeat a lost statement by itself. */
async function sessionOf(sql: Sql): Promise<number> {
  return await sql.begin(async (transaction) => {
    const [row] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row!.pid;
  });
}

/** Does `work` while a transaction of `sql` uses the free session, so that a pooler must give another one. */
async function whileBlocked<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
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

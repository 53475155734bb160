import type postgres from "postgres";

/** A process that a migration waits for. */
export interface Blocker {
  pid: number;
  /** Its application_name, or its kind if it is a process of the server. */
  name: string;
  /** How long its transaction has been open; null without one. */
  open_s: number | null;
}

/** Which backend waits: by its process, or by its statement, because a pooler may run that in another process. */
export type Waiter = { pid: number } | { statement: string };

/** Returns the processes that a backend waits for now. Their queries' text is not read, because it may hold secrets. */
async function findBlockers(sql: postgres.Sql, waiter: Waiter): Promise<Blocker[]> {
  return await sql<Blocker[]>`
    select distinct b.pid, coalesce(nullif(b.application_name, ''), b.backend_type) as name,
      floor(extract(epoch from clock_timestamp() - b.xact_start))::int as open_s
    from pg_stat_activity as a
    cross join lateral unnest(pg_blocking_pids(a.pid)) as blocking(pid)
    join pg_stat_activity as b on b.pid = blocking.pid
    where a.datname = current_database() and a.pid <> pg_backend_pid() and ${
    "pid" in waiter
      ? sql`a.pid = ${waiter.pid}`
      : sql`a.state = 'active' and left(a.query, 500) = left(${waiter.statement}, 500)`
  }
    order by b.pid`;
}

/** Describes the blocking processes for people. */
export function describeBlockers(blockers: Blocker[]): string {
  if (blockers.length === 0) return "a process that has ended since";
  return blockers.map(({ pid, name, open_s }) => {
    const open = open_s === null ? "" : `, its transaction open for ${open_s} s`;
    return `process ${pid} (${name}${open})`;
  }).join(" and ");
}

/** Looks for blocking processes until stopped; `stop` returns those that were last seen. */
export function watchBlockers(
  sql: postgres.Sql,
  waiter: Waiter,
  { everyMs, onBlocked }: { everyMs: number; onBlocked?: (blockers: Blocker[]) => void },
): { stop(): Promise<Blocker[]> } {
  const stopping = new AbortController();
  let last: Blocker[] = [];

  async function watch(): Promise<void> {
    while (await pause(everyMs, stopping.signal)) {
      // Without a spare connection the query runs when the migration is over; then nothing blocks.
      const blockers = await findBlockers(sql, waiter).catch(() => []);
      if (blockers.length === 0 || stopping.signal.aborted) continue;
      last = blockers;
      onBlocked?.(blockers);
    }
  }

  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await watching;
      return last;
    },
  };
}

/** Waits, and returns true; returns false as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve(!signal.aborted);
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

import { describeError, type Log } from "../../log.ts";
import { type Cell, CELL_PROBLEMS, readCell } from "../queue/cell.ts";
import { isPreparedStatementLost, type Sql } from "./connect.ts";
import {
  type LastTicks,
  type PlatformOutage,
  readLastTicks,
  readPlatformOutages,
  tryToStore,
} from "../queue/settings.ts";

/** The problems that keep the database from being used, as `GET /health` names them. */
export const DATABASE_PROBLEMS = [
  "unreachable",
  "refused",
  "read_only",
  "disk_full",
  "overloaded",
  "failing",
] as const;

export type DatabaseProblem = typeof DATABASE_PROBLEMS[number];

export interface DatabaseHealth {
  database: "ok" | DatabaseProblem;
  /** The cause, and what to do; undefined when the database stores messages and they are sent. */
  reason?: string;
  /** Undefined when they cannot be read. */
  ticks?: LastTicks;
  /** Its part in the installation; undefined when it cannot be read. */
  cell?: Pick<Cell, "number" | "state">;
  /** The platforms that do not respond; undefined when they cannot be read. */
  outages?: PlatformOutage[];
}

export interface DatabaseMonitor {
  /** Records how a query ended: with an error, or undefined. */
  record(error: unknown): void;
  /** Queries the database, and tries a write if the last one failed. Never rejects. */
  check(sql: Sql): Promise<DatabaseHealth>;
}

const REASONS: Record<DatabaseProblem, string> = {
  unreachable: "The database does not respond",
  refused: "The database refuses the user, the password or the permissions of DATABASE_URL",
  read_only: "The database takes no writes: it is read-only or a replica",
  disk_full: "The disk of the database is full: nothing is lost, but nothing more can be stored",
  overloaded: "The database has no connection or no memory to spare",
  failing: "The database reports faults of its own",
};

const MIXED_UP = "Statements meet the wrong session: the pooler must be in transaction or session mode";

/** A problem of the whole database by SQLSTATE, rather than of one statement. The first that fits counts. */
const PROBLEMS: [RegExp, DatabaseProblem][] = [
  [/^25006$/, "read_only"],
  [/^53100$/, "disk_full"],
  [/^53/, "overloaded"],
  [/^(28|3D000$|42501$)/, "refused"],
  [/^(58|XX)/, "failing"],
];

/** A database that takes longer counts as unreachable. */
const RESPONSE_MS = 3000;
/** Statements that met the wrong session are no evidence about the next one: they count for this long. */
const MIXED_UP_MS = 10_000;

/** Remembers whether the last queries failed for a reason that lies in the database. */
export function createDatabaseMonitor(log: Log): DatabaseMonitor {
  /** A write failed, and none was tried since. */
  let suspect: unknown = null;
  let mixedUpAt = -Infinity;

  async function checkDatabase(sql: Sql): Promise<DatabaseHealth> {
    const ticks = await readLastTicks(sql);
    if (ticks.read_only) return { ...problem("read_only"), ticks };
    if (suspect !== null) {
      await tryToStore(sql);
      suspect = null;
    }
    if (performance.now() - mixedUpAt < MIXED_UP_MS) return { database: "failing", reason: MIXED_UP, ticks };
    const { number, state } = await readCell(sql);
    return {
      database: "ok",
      ...(state !== "active" && { reason: CELL_PROBLEMS[state] }),
      ticks,
      cell: { number, state },
      outages: await readPlatformOutages(sql),
    };
  }

  return {
    record(error) {
      if (isPreparedStatementLost(error)) mixedUpAt = performance.now();
      if (problemOf(error) !== undefined) suspect = error;
    },
    async check(sql) {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(new Error("no response")), RESPONSE_MS);
      try {
        return await Promise.race([checkDatabase(sql), late.promise]);
      } catch (error) {
        log.warn("health: the database cannot be used", describeError(error));
        return problem(problemOf(error) ?? "unreachable");
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function problem(database: DatabaseProblem): DatabaseHealth {
  return { database, reason: REASONS[database] };
}

function problemOf(error: unknown): DatabaseProblem | undefined {
  const code = String((error as { code?: unknown })?.code ?? "");
  return PROBLEMS.find(([pattern]) => pattern.test(code))?.[1];
}

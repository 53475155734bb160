import { isConnectionError } from "../../error_cause.ts";
import type { Sql } from "./wire_types.ts";

/** A database that takes longer to respond to a new connection counts as silent. */
const RESPONSE_MS = 3000;

/** Whether a database is silent: a connection, or a query, gets no response from it, not even a refusal. */
export interface Silence {
  /** The database is silent from now on, until it responds to a new connection. */
  begin(): void;
  /**
   * Whether queries must be refused at once: what waits for a silent database holds memory that all requests share. Each
   * call makes sure that one connection at a time finds out whether the database responds again.
   */
  refuses(): boolean;
  /** Returns whether the database responds to a new connection, if only with an error. Never rejects. */
  responds(): Promise<boolean>;
}

/** @param open opens a pool that nothing else uses */
export function createSilence(open: () => Sql): Silence {
  let isSilent = false;
  let asking: Promise<boolean> | undefined;

  function responds(): Promise<boolean> {
    return asking ??= ask(open()).finally(() => asking = undefined);
  }

  async function endIfOver(): Promise<void> {
    if (await responds()) isSilent = false;
  }

  return {
    begin() {
      isSilent = true;
    },
    refuses() {
      if (isSilent && asking === undefined) void endIfOver();
      return isSilent;
    },
    responds,
  };
}

async function ask(sql: Sql): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), RESPONSE_MS);
  try {
    return await Promise.race([sql`select 1`.then(() => true), late.promise]);
  } catch (error) {
    return !isConnectionError(error);
  } finally {
    clearTimeout(timer);
    void sql.end({ timeout: 0 });
  }
}

/** The code of a query that got no connection, or no response, in time; the driver's own. */
const NO_CONNECTION = "CONNECT_TIMEOUT";

/** Returns whether a query failed because the database is silent: it has waited, and a retry would be in vain. */
export function isNoConnection(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === NO_CONNECTION;
}

/** Returns the error of a query that got no connection, or no response, in time. */
export function noConnection(): Error & { code: string } {
  return Object.assign(new Error("No connection to the database"), { code: NO_CONNECTION });
}

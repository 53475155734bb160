/**
 * What a failed query failed on: its values (`data`), its text (`statement`), the database or the way to it
 * (`database`), or anything else, such as a fault in our own code (`other`).
 */
export type ErrorCause = "data" | "statement" | "database" | "other";

/** Errors of the driver and of the sockets below it. */
const CONNECTION = /^(CONNECTION_|CONNECT_TIMEOUT|SASL_|E(CONN|PIPE|TIMEDOUT|HOST|NET|NOTFOUND|AI_))/;

/**
 * Names the cause of a failed query. The list is of what cannot pass: integrity and values (SQLSTATE classes 22 and 23),
 * and what the server cannot read (42, but for 42501: rights come back with the next `grant`). Every other error of a
 * database may be gone in a moment, whatever its code: a failover, a pooler and a full disk each have codes of their own.
 */
export function causeOf(error: unknown): ErrorCause {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  if (typeof code !== "string") return "other";
  if (CONNECTION.test(code)) return "database";
  if (name !== "PostgresError") return "other";
  if (/^2[23]/.test(code)) return "data";
  return code.startsWith("42") && code !== "42501" ? "statement" : "database";
}

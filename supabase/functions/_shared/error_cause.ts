/**
 * The cause of a failed query: its values (`data`), its text (`statement`), the database or the way to it
 * (`database`), or anything else, such as a fault in our own code (`other`).
 */
export type ErrorCause = "data" | "statement" | "database" | "other";

/** Errors of the driver and of the sockets below it. */
const CONNECTION =
  /^(CONNECTION_|CONNECT_TIMEOUT|SASL_|E(CONN|PIPE|TIMEDOUT|HOST|NET|NOTFOUND|AI_|BADF)|UNKNOWN$)/;

/** Returns whether a query failed because its connection was lost or none could be made. */
export function isConnectionError(error: unknown): error is { code: string } {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && CONNECTION.test(code);
}

/**
 * Names the cause of a failed query. Permanent are integrity and values (SQLSTATE classes 22 and 23) and
 * statements the server cannot read (42, except 42501: the next `grant` gives permissions back). Every other error of a
 * database may be over in a moment: a failover, a pooler and a full disk each have their own codes.
 */
export function causeOf(error: unknown): ErrorCause {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  if (isConnectionError(error)) return "database";
  if (typeof code !== "string" || name !== "PostgresError") return "other";
  if (/^2[23]/.test(code)) return "data";
  return code.startsWith("42") && code !== "42501" ? "statement" : "database";
}

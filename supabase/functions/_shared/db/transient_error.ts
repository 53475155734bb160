/** SQLSTATEs and driver codes that say "not now" rather than "not this". */
const TRANSIENT =
  /^(08|53|57P0|40001|40P01|CONNECTION_|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT)/;

/** Whether the same statement may well succeed in a moment: the database restarted, or two transactions collided. */
export function isTransientError(error: unknown): boolean {
  const code = (error as { code?: unknown })?.code;
  return typeof code === "string" && TRANSIENT.test(code);
}

import type { Sql } from "../driver/connect.ts";

/** The window over which attempts of an address, and of an address at one account, are counted. */
export const LOGIN_WINDOW_S = 300;

/** Attempts per `LOGIN_WINDOW_S`. An address may be an office, so it gets more than one account of it. */
export const MAX_ATTEMPTS_PER_ADDRESS = 50;
/** Attempts at one account from one address, per `LOGIN_WINDOW_S`. */
export const MAX_ATTEMPTS_PER_PAIR = 10;

/**
 * Attempts at one account from all addresses together where the user has not logged in lately: this many at once, and
 * then one per `ACCOUNT_GAP_S`. More addresses get a stranger no more attempts, and the owner waits no fixed time.
 */
const MAX_ATTEMPTS_PER_ACCOUNT_AT_ONCE = 20;
/** Seconds between two attempts at an account, from any address, once those are used up. */
export const ACCOUNT_GAP_S = 10;

/** For this long after a log-in, other people's attempts do not slow down the user at the same address. */
const KNOWN_FOR_S = 30 * 86_400;

/** The subjects that an attempt counts against; each is a hash. */
export interface LoginSubjects {
  /** Null where the runtime does not show the address. */
  address: string | null;
  account: string;
  /** The account at this address. */
  pair: string;
}

export interface LoginVerdict {
  /** Seconds to wait; 0 when the attempt may go on. */
  wait_s: number;
  /** The limit that was reached. */
  reached: "address" | "account" | "pair" | null;
}

/** Counts an attempt against all its subjects, unless one of them has to wait. */
export async function countLoginAttempt(sql: Sql, subjects: LoginSubjects): Promise<LoginVerdict> {
  const [row] = await sql<LoginVerdict[]>`
    select * from outbound.count_login_attempt(
      ${subjects.address}, ${subjects.account}, ${subjects.pair},
      ${MAX_ATTEMPTS_PER_ADDRESS}, ${MAX_ATTEMPTS_PER_PAIR}, make_interval(secs => ${LOGIN_WINDOW_S}),
      ${MAX_ATTEMPTS_PER_ACCOUNT_AT_ONCE}, make_interval(secs => ${ACCOUNT_GAP_S}))`;
  return row!;
}

/** Takes an attempt back: it `succeeded`, or the password was never checked. */
export async function refundLoginAttempt(
  sql: Sql,
  subjects: LoginSubjects,
  { succeeded }: { succeeded: boolean },
): Promise<void> {
  await sql`
    select outbound.refund_login_attempt(
      ${subjects.address}, ${subjects.account}, ${subjects.pair}, make_interval(secs => ${ACCOUNT_GAP_S}),
      make_interval(secs => ${succeeded ? KNOWN_FOR_S : null}))`;
}

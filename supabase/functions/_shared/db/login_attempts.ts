import type { Sql } from "./connect.ts";

/** Failed logins are counted over this long, in seconds. */
export const LOGIN_WINDOW_S = 300;

export interface LoginSubject {
  /** A hash of the e-mail or of the address. */
  subject: string;
  /** Tries allowed in `LOGIN_WINDOW_S`. */
  limit: number;
}

export interface LoginVerdict {
  /** Seconds to wait; 0 when the try may go on. */
  wait_s: number;
  /** The limit that is in the way, or null. */
  reached: number | null;
}

/** Counts a try against every subject. */
export async function countLoginAttempt(sql: Sql, subjects: LoginSubject[]): Promise<LoginVerdict> {
  const [row] = await sql<LoginVerdict[]>`
    select * from outbound.count_login_attempt(
      ${subjects.map((s) => s.subject)}::text[], ${subjects.map((s) => s.limit)}::int[],
      make_interval(secs => ${LOGIN_WINDOW_S}))`;
  return row!;
}

/** Takes a try back; `afresh` after a success: the first subject (the e-mail) then starts from nothing. */
export async function forgiveLoginAttempt(
  sql: Sql,
  subjects: LoginSubject[],
  { afresh }: { afresh: boolean },
): Promise<void> {
  await sql`select outbound.forgive_login_attempt(${subjects.map((s) => s.subject)}::text[], ${afresh})`;
}

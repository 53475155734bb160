import type { Sql } from "./connect.ts";

/** Failed logins are counted over this long, in seconds. */
export const LOGIN_WINDOW_S = 300;

export interface LoginSubject {
  /** A hash of the e-mail or of the address. */
  subject: string;
  /** Tries allowed in `LOGIN_WINDOW_S`. */
  limit: number;
}

/** Counts a try against every subject; returns the seconds to wait, 0 when it may go on. */
export async function countLoginAttempt(sql: Sql, subjects: LoginSubject[]): Promise<number> {
  const [row] = await sql<{ wait: number }[]>`
    select outbound.count_login_attempt(
      ${subjects.map((s) => s.subject)}::text[], ${subjects.map((s) => s.limit)}::int[],
      make_interval(secs => ${LOGIN_WINDOW_S})) as wait`;
  return row!.wait;
}

/** Takes a successful try back; the first subject (the e-mail) starts afresh. */
export async function forgiveLoginAttempt(sql: Sql, subjects: LoginSubject[]): Promise<void> {
  await sql`select outbound.forgive_login_attempt(${subjects.map((s) => s.subject)}::text[])`;
}

import type { Sql } from "./connect.ts";

export interface VisitorSubject {
  /** A hash of an address or of an id, with what is being counted. */
  subject: string;
  /** Requests allowed in the window. */
  limit: number;
}

export interface VisitorVerdict {
  /** Seconds to wait; 0 when the request may go on. */
  wait_s: number;
  /** The limit that is in the way, or null. */
  reached: number | null;
}

/** Counts a request against every subject. */
export async function countVisitorRequest(
  sql: Sql,
  { subjects, windowS }: { subjects: VisitorSubject[]; windowS: number },
): Promise<VisitorVerdict> {
  const [row] = await sql<VisitorVerdict[]>`
    select * from outbound.count_visitor_request(
      ${subjects.map((s) => s.subject)}::text[], ${subjects.map((s) => s.limit)}::int[],
      make_interval(secs => ${windowS}))`;
  return row!;
}

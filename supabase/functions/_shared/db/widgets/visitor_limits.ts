import type { Sql } from "../driver/connect.ts";

export interface VisitorSubject {
  /** A hash of an address or of an id, with the kind of request. */
  subject: string;
  /** Requests allowed in the window. */
  limit: number;
}

export interface VisitorVerdict {
  /** Seconds to wait; 0 when the request may go on. */
  wait_s: number;
  /** The limit that was reached, or null. */
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

/** Daily caps on visitors' use, as `visitor_usage` counts it. */
export type VisitorCap = "voice_sessions" | "voice_minutes" | "conversations" | "stored_mb";

/** A cap that leaves no room. */
export interface ReachedCap {
  cap: VisitorCap;
  quota: number;
  used: number;
}

/** No cap was reached. */
export interface NoCap {
  cap: null;
}

/** Visitors' use, or its caps, in one day (UTC), of one widget or of all widgets of a company. */
export interface VisitorCaps {
  voice_sessions: number;
  voice_minutes: number;
  conversations: number;
  stored_mb: number;
}

/** The caps to change; the others stay. */
export type CapChanges = { [Name in keyof VisitorCaps]?: VisitorCaps[Name] | undefined };

/** Returns what visitors have used today, of the widget or the company with the id `subjectId`. */
export async function readVisitorUsage(
  sql: Sql,
  { companyId, subjectId }: { companyId: string; subjectId: string },
): Promise<VisitorCaps> {
  const [row] = await sql<VisitorCaps[]>`
    select voice_sessions, ceil(voice_s / 60.0)::int as voice_minutes, conversations,
      ceil(stored_bytes / 1048576.0)::int as stored_mb
    from outbound.visitor_usage
    where company_id = ${companyId} and subject_id = ${subjectId} and day = (now() at time zone 'UTC')::date`;
  return row ?? { voice_sessions: 0, voice_minutes: 0, conversations: 0, stored_mb: 0 };
}

import type { Sql } from "../driver/connect.ts";

/** The kinds of changes that members follow; see `outbound.read_changes`. */
export const CHANGE_TYPES = [
  "campaign",
  "upload",
  "sender",
  "template",
  "call",
  "conversation",
  "message",
  "handoff",
  "delivery",
] as const;

/** Where a reader of a company's changes stands: a snapshot of a database. */
export interface ChangeCursor {
  /** The history in which transactions have these numbers; see `outbound.current_timeline`. */
  timeline: string;
  /** The first transaction that the snapshot may not have seen. */
  xid: bigint;
}

/** Something that changed, as it is now. */
export interface Change {
  type: typeof CHANGE_TYPES[number];
  /** The transaction that wrote it. */
  written: bigint;
  data: Record<string, unknown>;
}

/** The changes in one company. */
export interface CompanyChanges {
  company_id: string;
  /** Where the next reading begins. */
  next: ChangeCursor;
  /** The last transaction of all. */
  latest: bigint;
  /** The ids of the users who may see it. */
  members: string[];
  changes: Change[];
  /** A reader before this transaction may have missed changes: more changed than was read. */
  complete_from: bigint;
}

/** A company whose changes are read, from a transaction on; from null only the cursor is. */
export interface FollowedCompany {
  companyId: string;
  since: bigint | null;
}

interface Row extends Pick<CompanyChanges, "company_id" | "members"> {
  timeline: string;
  next: string;
  latest: string;
  complete_from: string;
  changes: (Omit<Change, "written"> & { written: string })[] | null;
}

/** Returns what changed in companies, in one query and one snapshot. */
export async function readCompanyChanges(sql: Sql, followed: FollowedCompany[]): Promise<CompanyChanges[]> {
  const rows = await sql<Row[]>`
    select r.company_id, r.timeline, r.next, r.latest, r.complete_from, r.members, r.changes
    from outbound.read_changes(
      ${followed.map(({ companyId }) => companyId)}::uuid[],
      ${followed.map(({ since }) => since === null ? null : String(since))}::text[]::bigint[]
    ) as r`;
  return rows.map(({ timeline, next, latest, complete_from, changes, ...row }) => ({
    ...row,
    next: { timeline, xid: BigInt(next) },
    latest: BigInt(latest),
    complete_from: BigInt(complete_from),
    changes: (changes ?? []).map((change) => ({ ...change, written: BigInt(change.written) })),
  }));
}

import type { Sql } from "./connect.ts";

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

/** Where a reader of a company's changes stands: a snapshot of the database. */
export interface ChangePlace {
  /** The first transaction that the snapshot may not have seen. */
  xid: bigint;
  /** Milliseconds since 1970, by the database's clock. */
  at: number;
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
  companyId: string;
  /** Where the next reading begins. */
  next: ChangePlace;
  /** The last transaction of all. */
  latest: bigint;
  /** The ids of the users who may see it. */
  members: string[];
  changes: Change[];
  /** Of these kinds more changed than was read. */
  full: Change["type"][];
}

/** A company whose changes are read, from a place on; from null only the place is. */
export interface FollowedCompany {
  companyId: string;
  since: ChangePlace | null;
}

/** A transaction that takes longer than this may be missed. */
const MARGIN_MS = 60_000;

interface Row extends Omit<CompanyChanges, "changes" | "latest" | "next"> {
  next: string;
  latest: string;
  at: Date;
  changes: (Omit<Change, "written"> & { written: string })[] | null;
}

/** Returns what changed in companies, in one query and one snapshot. */
export async function readCompanyChanges(sql: Sql, followed: FollowedCompany[]): Promise<CompanyChanges[]> {
  const rows = await sql<Row[]>`
    select r.company_id as "companyId", r.next, r.latest, r.at, r.members, r.changes, r.is_full as full
    from outbound.read_changes(
      ${followed.map(({ companyId }) => companyId)}::uuid[],
      ${followed.map(({ since }) => since && String(since.xid))}::text[]::xid8[],
      ${
    followed.map(({ since }) => since && new Date(since.at - MARGIN_MS).toISOString())
  }::text[]::timestamptz[]
    ) as r`;
  return rows.map(({ next, latest, at, changes, ...row }) => ({
    ...row,
    next: { xid: BigInt(next), at: at.getTime() },
    latest: BigInt(latest),
    changes: (changes ?? []).map((change) => ({ ...change, written: BigInt(change.written) })),
  }));
}

import { createFeed, type Feed, type FeedFollower, type Topic } from "../concurrency/feed.ts";
import {
  type Change,
  type ChangeCursor,
  type CompanyChanges,
  type FollowedCompany,
  readCompanyChanges,
} from "../db/access/company_changes.ts";
import type { Sql } from "../db/driver/connect.ts";
import { describeError, type Log } from "../log.ts";

/** A member who follows a company. */
export interface CompanyFollower extends FeedFollower {
  companyId: string;
  userId: string;
  /** The cursor up to which it has seen all; null for one that begins. The feed moves it. */
  after: ChangeCursor | null;
  /** Called after every query. Must not throw. */
  receive(update: CompanyUpdate): void;
  /** Called when a query failed; the next one is a second later. */
  fail?(error: unknown): void;
}

/** The news for one follower. */
export interface CompanyUpdate {
  changes: Change[];
  next: ChangeCursor;
  /** The follower may have missed changes and has to read its lists anew. */
  isGap: boolean;
}

/** The feed of what changes in companies. */
export type CompanyFeed = Feed<CompanyFollower>;

const POLL_MS = 1000;

/** Enough for the tabs of a person. */
const MAX_PER_MEMBER = 20;

interface Company extends Topic<CompanyFollower> {
  /** Those that have received what they lacked at first. */
  started: WeakSet<CompanyFollower>;
  /** Changes that the last query returned and the next one will return again: which transaction wrote each. */
  sent: Map<string, bigint>;
}

/**
 * Reads the changes of all followed companies in one query per second. Nothing is missed, because a query begins where
 * the follower furthest back stands, and each receives what was written since its own cursor. A cursor of another
 * database or timeline is a gap, and so is one before what a query could return; the update says so.
 *
 * A transaction that is open for long holds the cursor back, so the same changes are read again; each is sent once.
 */
export function createCompanyFeed(sql: Sql, log: Log): CompanyFeed {
  return createFeed<CompanyFollower, Company>({
    topicOf: ({ companyId }) => companyId,
    open: (id) => ({ id, followers: new Set(), started: new WeakSet(), sent: new Map() }),
    async read(companies) {
      const read = await readCompanyChanges(sql, companies.map(fromEarliest));
      for (const found of read) sendTo(companies.find(({ id }) => id === found.company_id)!, found);
    },
    fail(error, companies) {
      log.warn("changes of companies could not be read", describeError(error));
      for (const { followers } of companies) [...followers].forEach((each) => each.fail?.(error));
    },
    everyMs: POLL_MS,
    rivals: ({ followers }, { userId }) => ({
      others: [...followers].filter((other) => other.userId === userId),
      max: MAX_PER_MEMBER,
    }),
  });
}

function fromEarliest({ id, followers }: Company): FollowedCompany {
  const xids = [...followers].flatMap(({ after }) => after?.xid ?? []);
  if (xids.length === 0) return { companyId: id, since: null };
  return { companyId: id, since: xids.reduce((least, each) => each < least ? each : least) };
}

function sendTo(company: Company, found: CompanyChanges): void {
  const isNew = (change: Change) => company.sent.get(keyOf(change)) !== change.written;
  const updates = new Map<string, CompanyUpdate>();
  for (const follower of [...company.followers]) {
    if (!found.members.includes(follower.userId)) {
      follower.end("removed");
      continue;
    }
    const { after } = follower;
    const hasStarted = company.started.has(follower);
    // All followers that have started have the same cursor, so they share one update.
    const group = `${hasStarted} ${after?.timeline} ${after?.xid}`;
    const update = updates.get(group) ?? {
      changes: after === null
        ? []
        : found.changes.filter((change) => change.written >= after.xid && (!hasStarted || isNew(change))),
      next: found.next,
      isGap: after !== null && !isReachable(after, found),
    };
    updates.set(group, update);
    company.started.add(follower);
    follower.after = found.next;
    follower.receive(update);
  }
  company.sent = new Map(
    found.changes.filter(({ written }) => written >= found.next.xid)
      .map((change) => [keyOf(change), change.written]),
  );
}

/** A cursor in this database's own past, since which all changes were read. */
function isReachable(
  { timeline, xid }: ChangeCursor,
  { next, latest, complete_from }: CompanyChanges,
): boolean {
  return timeline === next.timeline && xid <= latest + 1n && xid >= complete_from;
}

/** The first field of a change is the id of what changed. */
function keyOf({ type, data }: Change): string {
  return `${type} ${Object.values(data)[0]} ${data.attempt ?? ""}`;
}

import { createWakeSignal } from "../concurrency/wake_signal.ts";
import {
  type Change,
  type ChangePlace,
  type CompanyChanges,
  type FollowedCompany,
  readCompanyChanges,
} from "../db/company_changes.ts";
import type { Sql } from "../db/connect.ts";
import { describeError, type Log } from "../log.ts";

/** A member who follows a company. */
export interface CompanyFollower {
  companyId: string;
  userId: string;
  /** The place up to which it has seen all; null for one that begins. The feed moves it. */
  after: ChangePlace | null;
  /** Called after every query. Must not throw. */
  receive(update: CompanyUpdate): void;
  /** Called when a query failed; the next one is a second later. */
  fail?(error: unknown): void;
  /** Called once there will be no more updates. */
  end(reason: EndReason): void;
}

/** Why a follower gets no more: the process stops, it is no member any more, or the member has too many others. */
export type EndReason = "stopping" | "removed" | "displaced";

/** The news for one follower. */
export interface CompanyUpdate {
  changes: Change[];
  next: ChangePlace;
  /** The follower may have missed changes and has to read its lists anew. */
  isGap: boolean;
}

/** Sends followers what changes in their companies, whichever process changes it. */
export interface CompanyFeed {
  /** Adds a follower. Returns the function that removes it. */
  follow(follower: CompanyFollower): () => void;
  /** Ends all followers. */
  end(): void;
}

/** The maximum delay of a change. */
const POLL_MS = 1000;

/** Enough for the tabs of a person. Beyond it, the oldest is ended. */
const MAX_PER_MEMBER = 20;

/**
 * Reads the changes of all followed companies in one query per second, and none without followers: its cost depends on
 * the companies and on what changed, not on the number of followers. Nothing is missed, because a query begins where
 * the follower furthest back stands, and each receives what was written since its own place. A place of another
 * database or timeline is a gap, and so is one before what a query could return; the update says so.
 *
 * A transaction that is open for long holds the place back, so the same changes are read again; each is sent once.
 */
export function createCompanyFeed(sql: Sql, log: Log): CompanyFeed {
  const companies = new Map<string, Company>();
  const ended = createWakeSignal();
  let isPolling = false;
  let polledAt = -Infinity;

  async function poll(): Promise<void> {
    const all = [...companies.values()];
    const read = await readCompanyChanges(sql, all.map(fromEarliest));
    for (const found of read) sendTo(all.find(({ id }) => id === found.companyId)!, found);
  }

  function reportFailure(error: unknown): void {
    log.warn("changes of companies could not be read", describeError(error));
    for (const { followers } of [...companies.values()]) [...followers].forEach((each) => each.fail?.(error));
  }

  async function pollWhileFollowed(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    while (companies.size > 0) {
      await ended.wait(Math.max(polledAt + POLL_MS - performance.now(), 0));
      if (companies.size === 0) break;
      polledAt = performance.now();
      await poll().catch(reportFailure);
    }
    isPolling = false;
  }

  function leave(follower: CompanyFollower): void {
    const company = companies.get(follower.companyId);
    company?.followers.delete(follower);
    if (company?.followers.size === 0) companies.delete(follower.companyId);
    if (companies.size === 0) ended.notify();
  }

  return {
    follow(follower) {
      const { companyId: id, userId } = follower;
      const company = companies.get(id) ?? { id, followers: new Set(), started: new Set(), sent: new Map() };
      const own = [...company.followers].filter((other) => other.userId === userId);
      if (own.length >= MAX_PER_MEMBER) own[0]!.end("displaced");
      companies.set(id, company);
      company.followers.add(follower);
      void pollWhileFollowed();
      return () => leave(follower);
    },
    end() {
      for (const { followers } of [...companies.values()]) {
        [...followers].forEach((each) => each.end("stopping"));
      }
    },
  };
}

interface Company {
  id: string;
  followers: Set<CompanyFollower>;
  /** Those that have received what they lacked at first. */
  started: WeakSet<CompanyFollower>;
  /** Changes that the last query returned and the next one will return again: which transaction wrote each. */
  sent: Map<string, bigint>;
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
    // All who have started stand at the same place, so they share one update.
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

/** A place in this database's own past, since which all changes were read. */
function isReachable(
  { timeline, xid }: ChangePlace,
  { next, latest, completeFrom }: CompanyChanges,
): boolean {
  return timeline === next.timeline && xid <= latest + 1n && xid >= completeFrom;
}

/** The first field of a change is the id of what changed. */
function keyOf({ type, data }: Change): string {
  return `${type} ${Object.values(data)[0]} ${data.attempt ?? ""}`;
}

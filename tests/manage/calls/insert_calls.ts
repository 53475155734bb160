import {
  callEventOf,
  type CallingCompany,
  enqueueCalls,
  insertCallingCompany,
} from "../../setup/fixtures/calling_company.ts";
import { insertMember } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { claim, finish, report } from "../../setup/fixtures/queue.ts";
import type { Manage } from "../with_manage.ts";

/** A company with three calls, and the ids of their notifications. */
export interface InsertedCalls {
  caller: CallingCompany;
  campaignId: string;
  answered: string;
  busy: string;
  ongoing: string;
  /** All three, the newest first. */
  ids: string[];
  /** `GET` below the company, as its viewer. */
  read(path: string, query?: Record<string, string>): Promise<TestAnswer<JsonObject>>;
}

/** Inserts a company with three calls: one was answered, one was busy, one is going on. */
export async function insertCalls(t: Manage): Promise<InsertedCalls> {
  const caller = await insertCallingCompany(t.sql);
  const { viewer } = t.members;
  await insertMember(t.sql, caller.id, viewer.userId, "viewer");
  const { campaignId, ids } = await enqueueCalls(t.sql, caller, { count: 4 });
  await t
    .sql`update outbound.queue set run_at = 'infinity', held_run_at = run_at where id = ${ids[3]!}`;
  await finish(t.sql, await claim(t.sql), { outcome: "sent" });
  const [answered, busy, ongoing] = ids as [string, string, string];
  await report(t.sql, [
    callEventOf(caller.id, answered, "answered"),
    callEventOf(caller.id, busy, "busy"),
  ]);
  const below = `/companies/${caller.id}`;
  return {
    caller,
    campaignId,
    answered,
    busy,
    ongoing,
    ids: [answered, busy, ongoing].sort().reverse(),
    read: (path, query = {}) => viewer.ask("GET", `${below}${path}`, undefined, query),
  };
}

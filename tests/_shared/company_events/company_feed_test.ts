import assert from "node:assert/strict";
import {
  type CompanyFeed,
  type CompanyFollower,
  createCompanyFeed,
} from "../../../supabase/functions/_shared/company_events/company_feed.ts";
import type { Change, ChangePlace } from "../../../supabase/functions/_shared/db/company_changes.ts";
import type { Sql } from "../../../supabase/functions/_shared/db/connect.ts";
import { createLog } from "../../../supabase/functions/_shared/log.ts";
import { eventStream } from "../../../supabase/functions/manage/events/event_stream.ts";
import { withTestDatabase } from "../../setup/database.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertCompany, insertMember, insertSender } from "../../setup/fixtures.ts";

const silent = createLog("silent");

/** The same connection, with a count of its statements. */
function counted(sql: Sql): { sql: Sql; count(): number } {
  let count = 0;
  const query = (...args: Parameters<Sql>) => {
    count++;
    return sql(...args);
  };
  return { sql: query as unknown as Sql, count: () => count };
}

/** A member of a company of its own, with a sender. */
async function makeMember(sql: Sql): Promise<{ companyId: string; userId: string; senderId: string }> {
  const { id: companyId } = await insertCompany(sql);
  const userId = crypto.randomUUID();
  await insertMember(sql, companyId, userId, "viewer");
  return { companyId, userId, senderId: (await insertSender(sql, companyId)).id };
}

/** A follower that keeps what it receives. */
function collect(
  feed: CompanyFeed,
  { companyId, userId }: { companyId: string; userId: string },
  after: ChangePlace | null = null,
): { changes: Change[]; updates(): number; leave(): ChangePlace | null } {
  const changes: Change[] = [];
  let updates = 0;
  const follower: CompanyFollower = {
    ...{ companyId, userId, after },
    receive: (update) => {
      changes.push(...update.changes);
      updates++;
    },
    end: () => leave(),
  };
  const leave = feed.follow(follower);
  return {
    changes,
    updates: () => updates,
    leave: () => {
      leave();
      return follower.after;
    },
  };
}

Deno.test("createCompanyFeed() makes one query per second for 200 viewers, and none without", () =>
  withTestDatabase(async ({ sql }) => {
    const member = await makeMember(sql as unknown as Sql);
    const database = counted(sql as unknown as Sql);
    const feed = createCompanyFeed(database.sql, silent);
    const companies = await Promise.all([1, 2, 3].map(() => makeMember(sql as unknown as Sql)));
    // Twenty of each member: what one person may have open.
    const others: typeof companies = [];
    for (let count = 0; count < 9; count++) {
      const userId = crypto.randomUUID();
      await insertMember(sql, member.companyId, userId, "viewer");
      others.push({ ...member, userId });
    }
    const started = performance.now();
    const viewers = [member, ...others].flatMap((each) =>
      Array.from({ length: 20 }, () => collect(feed, each))
    );
    const elsewhere = companies.map((each) => collect(feed, each));

    await eventually(() => assert.ok([...viewers, ...elsewhere].every(({ updates }) => updates() >= 3)));

    const seconds = (performance.now() - started) / 1000;
    assert.equal(viewers.length, 200);
    assert.ok(database.count() <= Math.floor(seconds) + 1, `${database.count()} in ${seconds} s`);
    [...viewers, ...elsewhere].forEach(({ leave }) => leave());
    const queries = database.count();
    await new Promise((resolve) => setTimeout(resolve, 1200));
    assert.equal(database.count(), queries);
  }));

Deno.test("a reader who changes between two processes misses nothing", () =>
  withTestDatabase(async ({ sql }) => {
    const member = await makeMember(sql as unknown as Sql);
    const feeds = [1, 2].map(() => createCompanyFeed(sql as unknown as Sql, silent));
    const anchored = collect(feeds[0]!, member);
    await eventually(() => assert.equal(anchored.updates(), 1));
    let after = anchored.leave();
    const wrote: string[] = [];
    const seen = new Set<unknown>();
    let isWriting = true;
    const writer = async () => {
      while (isWriting) {
        const id = crypto.randomUUID();
        await sql.begin(async (on) => {
          await on`
            insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, status, at)
            values (${member.companyId}, ${id}, ${member.senderId}, 'in', '34600111222', 'text', 'received', now())`;
          await on`select pg_sleep(${Math.random() * 0.2})`;
        });
        wrote.push(id);
      }
    };
    const writing = Promise.all([writer(), writer(), writer()]);
    for (let hop = 0; hop < 6; hop++) {
      const reader = collect(feeds[hop % 2]!, member, after);
      await eventually(() => assert.ok(reader.updates() >= 1));
      if (hop === 4) isWriting = false;
      if (hop === 4) await writing;
      after = reader.leave();
      reader.changes.forEach(({ data }) => seen.add(data.message_id));
    }

    assert.ok(wrote.length > 5);
    assert.deepEqual(wrote.filter((id) => !seen.has(id)), []);
  }));

Deno.test("a reader of events who reads nothing is ended, and holds little meanwhile", async () => {
  let follower: CompanyFollower | undefined;
  let hasLeft = false;
  const feed: CompanyFeed = {
    follow: (given) => {
      follower = given;
      return () => void (hasLeft = true);
    },
    end: () => {},
  };
  const reader = { companyId: "c", userId: "u", after: null };
  const stream = eventStream(feed, reader, { lastsMs: 60_000 });
  const next = { xid: 1n, at: 0 };
  let updates = 0;
  while (!hasLeft && updates < 1000) {
    const change: Change = {
      type: "message",
      written: 1n,
      data: { id: updates++, text: "x".repeat(10_000) },
    };
    follower!.receive({ changes: [change], next, isGap: false });
  }

  assert.ok(hasLeft);
  const size = (await Array.fromAsync(stream)).reduce((total, part) => total + part.length, 0);
  assert.ok(size < 1.2 * 1024 * 1024, `${size} bytes`);
});

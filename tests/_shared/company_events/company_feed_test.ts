import assert from "node:assert/strict";
import type postgres from "postgres";
import {
  type CompanyFeed,
  type CompanyFollower,
  createCompanyFeed,
} from "../../../supabase/functions/_shared/company_events/company_feed.ts";
import type { Change, ChangeCursor } from "../../../supabase/functions/_shared/db/access/company_changes.ts";
import { connect, type Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { createLog } from "../../../supabase/functions/_shared/log.ts";
import { eventStream } from "../../../supabase/functions/_shared/http/app/event_stream.ts";
import { companyEventSource } from "../../../supabase/functions/manage/events/event_source.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertCompany, insertMember, insertSender, insertTemplate } from "../../setup/fixtures/fixtures.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";

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
  after: ChangeCursor | null = null,
): { changes: Change[]; updates(): number; gaps(): number; leave(): ChangeCursor | null } {
  const changes: Change[] = [];
  let updates = 0;
  let gaps = 0;
  const follower: CompanyFollower = {
    ...{ companyId, userId, after },
    receive: (update) => {
      changes.push(...update.changes);
      updates++;
      if (update.isGap) gaps++;
    },
    end: () => leave(),
  };
  const leave = feed.follow(follower);
  return {
    changes,
    updates: () => updates,
    gaps: () => gaps,
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

Deno.test("readers of two processes see what the tables hold, whatever transactions do", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    const member = await makeMember(sql);
    const templates = await insertTemplates(sql, member, 12);
    const processes = [1, 2].map(() => connect(url));
    const feeds = processes.map((each) => createCompanyFeed(each, silent));
    const seen = new Map<unknown, unknown>();
    let resets = 0;
    const see = (changes: Change[]) =>
      changes.forEach(({ data }) => seen.set(data.template_id, data.rejected_reason));
    const stays = feeds.map((feed) => collect(feed, member));
    let after: ChangeCursor | null = await whenBegun(feeds[0]!, member);

    let isWriting = true;
    const writing = Promise.all(DURATIONS_S.map(async (seconds, index) => {
      for (let count = 0; isWriting; count++) {
        await sql.begin(async (on) => {
          // One begins before a reader's cursor, writes after it, and commits later still.
          await on`select pg_sleep(${Math.random() * seconds / 2})`;
          await writeReason(on, pick(templates), `${index}/${count}`);
          await on`select pg_sleep(${Math.random() * seconds / 2})`;
          if (Math.random() < 0.1) throw new Error(ROLLED_BACK);
        }).catch((error) => assert.equal(error.message, ROLLED_BACK));
      }
    }));
    for (let hop = 0; hop < HOPS; hop++) {
      if (hop === HOPS - 2) isWriting = false;
      if (hop === HOPS - 2) await writing;
      const reader = collect(feeds[hop % 2]!, member, after);
      await eventually(() => assert.ok(reader.updates() >= 1 + hop % 2));
      after = reader.leave();
      see(reader.changes);
      resets += reader.gaps();
    }
    await Promise.all(stays.map(whenUpdated));

    const rows =
      await sql`select id, rejected_reason from outbound.templates where rejected_reason is not null`;
    const truth = new Map(rows.map(({ id, rejected_reason }) => [id, rejected_reason]));
    assert.ok(truth.size > 6);
    assert.deepEqual(new Map(rows.map(({ id }) => [id, seen.get(id)])), truth);
    for (const { changes, gaps } of stays) {
      const last = new Map(changes.map(({ data }) => [data.template_id, data.rejected_reason]));
      assert.deepEqual(new Map(rows.map(({ id }) => [id, last.get(id)])), truth);
      resets += gaps();
    }
    assert.equal(resets, 0);
    feeds.forEach((feed) => feed.end());
    await Promise.all(processes.map((each) => each.end()));
  }));

Deno.test("what a transaction of five minutes wrote is not missed", () =>
  withTestDatabase(async (database) => {
    const sql = database.sql as unknown as Sql;
    const member = await makeMember(sql);
    const [template] = await insertTemplates(sql, member, 1);
    const feed = createCompanyFeed(sql, silent);
    const after = await whenBegun(feed, member);

    // Times of a row are those of the beginning of its transaction.
    await sql`
      update outbound.templates set rejected_reason = 'late', updated_at = now() - interval '5 minutes'
      where id = ${template!}`;

    const reader = collect(feed, member, after);
    // A transaction of another database holds the cursor back, before what the test made.
    const templates = () => reader.changes.filter(({ type }) => type === "template");
    await eventually(() => assert.deepEqual(templates().map(({ data }) => data.rejected_reason), ["late"]));
    assert.equal(reader.gaps(), 0);
    feed.end();
  }));

Deno.test("a reader with a cursor of another database, as after a restore, reads its lists anew", () =>
  withTestDatabase((old) =>
    withTestDatabase(async (restored) => {
      const [before, after] = [old.sql, restored.sql] as unknown as Sql[];
      const member = await makeMember(before!);
      await insertCompany(after!, { id: member.companyId });
      await insertMember(after!, member.companyId, member.userId, "viewer");
      const cursor = await whenBegun(createCompanyFeed(before!, silent), member);
      const feed = createCompanyFeed(after!, silent);

      // Whether its transactions are before the cursor or behind it.
      for (const xid of [cursor.xid, cursor.xid - 500n, 0n]) {
        const reader = collect(feed, member, { ...cursor, xid });
        await whenUpdated(reader);
        assert.equal(reader.gaps(), 1);
        reader.leave();
      }
      feed.end();
    })
  ));

/** How long the transactions of each writer take, on average. */
const DURATIONS_S = [0.01, 0.01, 0.1, 0.1, 1, 3];
const HOPS = 8;
const ROLLED_BACK = "rolled back";

const pick = <T>(values: T[]) => values[Math.floor(Math.random() * values.length)]!;

async function insertTemplates(sql: Sql, member: { companyId: string }, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    ids.push((await insertTemplate(sql, await insertSender(sql, member.companyId))).id);
  }
  return ids;
}

async function writeReason(on: postgres.ISql, template: string, reason: string): Promise<void> {
  await on`update outbound.templates set rejected_reason = ${reason}, updated_at = now() where id = ${template}`;
}

/** The cursor of a reader that begins now. */
async function whenBegun(
  feed: CompanyFeed,
  member: { companyId: string; userId: string },
): Promise<ChangeCursor> {
  const reader = collect(feed, member);
  await eventually(() => assert.ok(reader.updates() >= 1));
  return reader.leave()!;
}

/** Resolves after the next query that begins from now on. */
async function whenUpdated({ updates }: { updates(): number }): Promise<void> {
  const before = updates();
  await eventually(() => assert.ok(updates() >= before + 2));
}

Deno.test("a reader of events who reads nothing is ended, and holds little meanwhile", async () => {
  let follower: CompanyFollower | undefined;
  let hasLeft = false;
  const feed: CompanyFeed = {
    follow: (given) => {
      follower = given;
      return () => void (hasLeft = true);
    },
    wake: () => {},
    end: () => {},
  };
  const reader = { companyId: "c", userId: "u", after: null };
  const stream = eventStream(companyEventSource(feed, reader), 60_000);
  const next = { timeline: "0123456789abcdef", xid: 1n };
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

Deno.test("a gap soon after a reset is a reset once it may be sent, and meanwhile no id moves past it", () => {
  let nowMs = 0;
  let follower: CompanyFollower | undefined;
  const feed: CompanyFeed = {
    follow: (given) => {
      follower = given;
      return () => {};
    },
    wake: () => {},
    end: () => {},
  };
  const texts: string[] = [];
  const source = companyEventSource(feed, { companyId: "c", userId: "u", after: null }, () => nowMs);
  source.follow((text) => texts.push(text), () => {});
  const receive = (xid: bigint, isGap: boolean) => {
    const next = { timeline: "0123456789abcdef", xid };
    const change: Change = { type: "message", written: xid, data: { id: String(xid) } };
    follower!.after = next;
    follower!.receive({ changes: [change], next, isGap });
    return [
      texts.at(-1)!.includes("event: reset"),
      texts.at(-1)!.includes("id: "),
      source.heartbeat!() !== "",
    ];
  };

  assert.deepEqual(receive(1n, true), [true, true, true]);
  nowMs += 1000;
  assert.deepEqual(receive(2n, true), [false, false, false], "too soon");
  assert.deepEqual(receive(3n, false), [false, false, false], "still owed");
  nowMs += 10_000;
  assert.deepEqual(receive(4n, false), [true, true, true]);
  nowMs += 11_000;
  assert.deepEqual(receive(5n, false), [false, true, true]);
});

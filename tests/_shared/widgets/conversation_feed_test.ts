import assert from "node:assert/strict";
import type { Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { createLog } from "../../../supabase/functions/_shared/log.ts";
import { createConversationFeed } from "../../../supabase/functions/_shared/widgets/conversation_feed.ts";
import { eventually } from "../../setup/eventually.ts";

/** A database that returns `news` to every query, or throws what it throws. */
function databaseWith(news: () => unknown[]): { sql: Sql; looks(): number } {
  let looks = 0;
  const sql = (() => {
    looks++;
    return new Promise((resolve) => resolve(news()));
  }) as unknown as Sql;
  return { sql, looks: () => looks };
}

const silent = createLog("silent");

Deno.test("createConversationFeed() looks only while there is a follower", async () => {
  const database = databaseWith(() => []);
  const feed = createConversationFeed(database.sql, silent);
  feed.wake();
  const leave = feed.follow({
    companyId: "c",
    conversationId: "1",
    after: 0,
    receive: () => {},
    end: () => {},
  });
  await eventually(() => assert.ok(database.looks() >= 2));
  leave();
  const looks = database.looks();
  await new Promise((resolve) => setTimeout(resolve, 700));

  assert.ok(database.looks() <= looks + 1);
});

Deno.test("createConversationFeed() goes on after the database was away, and sends each follower what it lacks", async () => {
  const message = (sequence: number) => ({ sequence, text: `m${sequence}` });
  let away = true;
  const database = databaseWith(() => {
    if (away) throw new Error("away");
    return [{ id: "1", status: "open", messages: [message(1), message(2), message(3)] }];
  });
  const lines: string[] = [];
  const feed = createConversationFeed(database.sql, createLog("warn", (line) => lines.push(line)));
  const received: Record<string, number[]> = { early: [], late: [] };
  const follow = (name: string, after: number) => {
    const follower = {
      ...{ companyId: "c", conversationId: "1", after, end: () => leave() },
      receive(news: { messages: { sequence: number }[] }) {
        received[name]!.push(...news.messages.map(({ sequence }) => sequence));
        follower.after = news.messages.at(-1)?.sequence ?? follower.after;
      },
    };
    const leave = feed.follow(follower);
  };
  follow("early", 0);
  follow("late", 2);
  await eventually(() => assert.ok(lines.length > 0));
  away = false;
  feed.wake();
  await eventually(() => assert.deepEqual(received, { early: [1, 2, 3], late: [3] }));
  feed.wake();
  await eventually(() => assert.ok(database.looks() > 2));
  feed.end();

  assert.deepEqual(received, { early: [1, 2, 3], late: [3] });
  assert.match(lines[0]!, /conversations could not be read/);
});

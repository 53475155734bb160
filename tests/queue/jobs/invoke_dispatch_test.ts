import assert from "node:assert/strict";
import type postgres from "postgres";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  claim,
  enqueue,
  finish,
  insertSendingCompany,
  letTimePass,
  type SendingCompany,
} from "../../setup/fixtures/queue.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { withDispatchAddress } from "./dispatch_address.ts";
import { insertFurtherWebhook, insertWebhook, writeEvent } from "../../setup/fixtures/webhooks.ts";

Deno.test("the database calls the dispatcher to have the webhook probed before a window ends", () =>
  withTestDatabase(async ({ sql }) => {
    const calls = await withDispatchAddress(sql);
    await enqueue(sql, await insertSendingCompany(sql));
    await finish(sql, await claim(sql), { outcome: "unknown" });
    const early = await calls();
    await letTimePass(sql, 100);

    assert.deepEqual([early, await calls()], [false, true]);
  }));

Deno.test("the database calls the dispatcher once per minute, because some of its work is due by the clock", () =>
  withTestDatabase(async ({ sql }) => {
    const calls = await withDispatchAddress(sql);
    const early = await calls();
    await sql`update outbound.settings set updated_at = now() - interval '1 minute' where name = 'last_tick:dispatcher'`;

    assert.deepEqual([early, await calls()], [false, true]);
  }));

for (const which of ["the company's own", "a further"]) {
  Deno.test(`the database calls the dispatcher for an event that waits for ${which} webhook`, () =>
    withTestDatabase(async ({ sql }) => {
      const calls = await withDispatchAddress(sql);
      const { id } = await insertCompany(sql);
      await (which === "a further" ? insertFurtherWebhook(sql, id) : insertWebhook(sql, id));
      const early = await calls();
      await writeEvent(sql, id);

      assert.deepEqual([early, await calls()], [false, true]);
    }));
}

interface ReplyState {
  status: string;
  runInS: number;
  leaseInS: number | null;
}

const REPLIES: [why: string, reply: ReplyState, calls: boolean][] = [
  ["is due", { status: "queued", runInS: 0, leaseInS: null }, true],
  ["is due later", { status: "queued", runInS: 60, leaseInS: null }, false],
  ["is being sent", { status: "sending", runInS: 0, leaseInS: 60 }, false],
  ["was left by a dispatcher that died", { status: "sending", runInS: 0, leaseInS: 0 }, true],
  ["waits for its receipt", { status: "unconfirmed", runInS: 0, leaseInS: 60 }, false],
  ["waited for its receipt in vain", { status: "unconfirmed", runInS: 0, leaseInS: 0 }, true],
  ["was sent", { status: "sent", runInS: 0, leaseInS: null }, false],
];

for (const [why, reply, expected] of REPLIES) {
  Deno.test(`the database ${expected ? "calls" : "does not call"} the dispatcher for a reply that ${why}`, () =>
    withTestDatabase(async ({ sql }) => {
      const calls = await withDispatchAddress(sql);
      await insertReply(sql, await insertSendingCompany(sql), reply);

      assert.equal(await calls(), expected);
    }));
}

async function insertReply(
  sql: postgres.Sql,
  { id, sender }: SendingCompany,
  { status, runInS, leaseInS }: ReplyState,
): Promise<void> {
  await sql`
    insert into outbound.contact_messages (
      company_id, id, sender_id, direction, number, kind, text, status, run_at, expires_at, lease_until, at
    )
    values (
      ${id}, gen_random_uuid(), ${sender.id}, 'out', '34600000001', 'text', 'Hi', ${status},
      now() + make_interval(secs => ${runInS}), now() + interval '1 day',
      now() + make_interval(secs => ${leaseInS}::float8), now()
    )`;
  if (status === "queued") {
    await sql`select outbound.schedule_replies(
      array[${id}::uuid], array[${sender.id}::uuid], array[now() + make_interval(secs => ${runInS})])`;
  }
}

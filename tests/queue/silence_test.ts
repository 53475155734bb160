import assert from "node:assert/strict";
import type postgres from "postgres";
import { withTestDatabase } from "../setup/database.ts";
import {
  assertConserved,
  claim,
  enqueue,
  finish,
  insertSendingCompany,
  letTimePass,
  statusesOf,
  tickNow,
} from "./queue.ts";

/** Longer than the platform may be silent. */
const SILENCE_S = 121;

/** A message of which nobody knows whether the platform took it; its id. */
async function sendIntoTheUnknown(sql: postgres.Sql): Promise<string> {
  const { ids } = await enqueue(sql, await insertSendingCompany(sql));
  await finish(sql, await claim(sql), { outcome: "unknown" });
  return ids[0]!;
}

Deno.test("silence says nothing while the platform cannot be reached: it is waited for anew", () =>
  withTestDatabase(async ({ sql }) => {
    const id = await sendIntoTheUnknown(sql);
    await letTimePass(sql, SILENCE_S);
    await sql`update outbound.sender_pace set failures = 5, blocked_until = now() + interval '1 second'`;

    const unreachable = await tickNow(sql);
    await letTimePass(sql, SILENCE_S - 2);
    const reachable = await tickNow(sql);
    await letTimePass(sql, 2);
    const silent = await tickNow(sql);

    assert.deepEqual([unreachable.resent, reachable.resent, silent.resent], [0, 0, 1]);
    assert.deepEqual(await statusesOf(sql, [id]), ["queued"]);
    await assertConserved(sql);
  }));

Deno.test("silence of a time when nobody listened says nothing either", () =>
  withTestDatabase(async ({ sql }) => {
    await tickNow(sql);
    const id = await sendIntoTheUnknown(sql);
    await letTimePass(sql, SILENCE_S);
    await sql`update outbound.settings set updated_at = updated_at - interval '91 seconds'
      where name like 'last_tick:%'`;

    const awake = await tickNow(sql);
    await letTimePass(sql, SILENCE_S);
    const silent = await tickNow(sql);

    assert.deepEqual([awake.resent, silent.resent], [0, 1]);
    assert.deepEqual(await statusesOf(sql, [id]), ["queued"]);
  }));

Deno.test("nobody is waited for longer than a message is of use", () =>
  withTestDatabase(async ({ sql }) => {
    const id = await sendIntoTheUnknown(sql);
    await letTimePass(sql, 86_401);
    await sql`update outbound.sender_pace set failures = 5, blocked_until = now() + interval '1 second'`;

    await tickNow(sql);

    assert.deepEqual(await statusesOf(sql, [id]), ["failed"]);
  }));

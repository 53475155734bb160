import assert from "node:assert/strict";
import {
  lookAhead,
  releaseClaimed,
  renewLeases,
} from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  assertConserved,
  claim,
  countersOf,
  enqueue,
  finish,
  insertSendingCompany,
  letTimePass,
  planTurns,
  statesOf,
  statusesOf,
  tickNow,
} from "../../setup/fixtures/queue.ts";

Deno.test("renew_leases() keeps what a worker is sending, and only that", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 3 });
    const [mine, forgotten] = await claim(sql, { worker: "w1", leaseS: 10, limit: 2 });
    const [others] = await claim(sql, { worker: "w2", leaseS: 10 });

    await renewLeases(sql, { worker: "w1", leaseS: 60, notifications: [mine!, others!] });
    await letTimePass(sql, 11);
    const did = await tickNow(sql);

    assert.equal(did.rescued, 2);
    assert.deepEqual(await statusesOf(sql, [mine!, forgotten!, others!].map(({ id }) => id)), [
      "sending",
      "unconfirmed",
      "unconfirmed",
    ]);
  }));

Deno.test("renew_leases() does not revive a lease that ran out", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company);
    const held = await claim(sql, { leaseS: 10 });
    await letTimePass(sql, 11);

    await renewLeases(sql, { worker: "worker", leaseS: 60, notifications: held });
    await tickNow(sql);

    assert.deepEqual(await statusesOf(sql, ids), ["unconfirmed"]);
  }));

Deno.test("release_claimed() hands back what the worker does not know of, untried, and nothing else", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { count: 5 });
    const [known, ...lost] = await claim(sql, { worker: "w1", limit: 3 });
    const [finished] = lost.splice(1, 1);
    await finish(sql, [finished!], { outcome: "unknown" }, { worker: "w1" });
    const [others] = await claim(sql, { worker: "w2", limit: 1 });

    const released = [
      await releaseClaimed(sql, { worker: "w1", known: [known!] }),
      await releaseClaimed(sql, { worker: "w1", known: [known!] }),
    ];

    assert.deepEqual(released, [1, 0]);
    const states = await statesOf(sql, ids);
    const stateOf = (id: string) => {
      const { status, attempt, fence } = states.find((each) => each.id === id)!;
      return [status, attempt, fence];
    };
    assert.deepEqual([known!, lost[0]!, finished!, others!].map(({ id }) => stateOf(id)), [
      ["sending", 1, 1],
      ["queued", 0, 1],
      ["unconfirmed", 1, 1],
      ["sending", 1, 1],
    ]);
    assert.deepEqual(await countersOf(sql, campaignId), { pending: 2, processing: 3 });
    await assertConserved(sql);
  }));

Deno.test("next_due() returns when there is something to send, whichever company it is from", () =>
  withTestDatabase(async ({ sql }) => {
    const [first, second] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    const nothing = (await lookAhead(sql)).ms;
    const began = performance.now();
    /** Less the time that the test itself took since then. */
    const assertDueIn = async (seconds: number) => {
      const ms = (await lookAhead(sql)).ms!;
      const least = seconds * 1000 - (performance.now() - began) - 1;
      assert.ok(ms >= least && ms <= seconds * 1000, `${least} ≤ ${ms} ≤ ${seconds * 1000}`);
    };
    await enqueue(sql, first, { dueInS: 600, type: "transactional" });
    await enqueue(sql, first, { dueInS: 300, type: "marketing" });
    await enqueue(sql, second, { dueInS: 450 });

    assert.equal(nothing, null);
    await assertDueIn(300);
    await letTimePass(sql, 310);
    await assertDueIn(-10);
  }));

Deno.test("next_due() passes by what may not leave: a stopped sender's, and for a while a resting one's", () =>
  withTestDatabase(async ({ sql }) => {
    const stopped = await insertSendingCompany(sql, { sender: { status: "stopped", stopped_reason: "x" } });
    const resting = await insertSendingCompany(sql);
    await enqueue(sql, stopped);
    const nothing = (await lookAhead(sql)).ms;
    await enqueue(sql, resting);
    await sql`update outbound.sender_rate_state set failures = 5, blocked_until = now() + interval '20 seconds'
      where sender_id = ${resting.sender.id}`;
    await planTurns(sql);

    assert.equal(nothing, null);
    assert.equal(Math.round((await lookAhead(sql)).ms ?? 0) > 15_000, true);
  }));

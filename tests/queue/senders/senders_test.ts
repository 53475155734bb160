import assert from "node:assert/strict";
import type postgres from "postgres";
import {
  adjustSenders,
  type SenderChange,
} from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  claim,
  enqueue,
  fillBucket,
  finish,
  insertSendingCompany,
  letTimePass,
  type SendingCompany,
  statesOf,
} from "../../setup/fixtures/queue.ts";

/** Returns the pace as it was at that moment, however long the test takes from there. */
async function adjust(
  sql: postgres.Sql,
  company: SendingCompany,
  ...changes: SenderChange["change"][]
): Promise<Pace> {
  return await sql.begin(async (transaction) => {
    const sql = transaction as unknown as postgres.Sql;
    await adjustSenders(
      sql,
      changes.map((change) => ({
        company_id: company.id,
        sender_id: company.sender.id,
        change,
        ...(change === "stop" && { reason: "The token has expired" }),
      })),
    );
    return await paceOf(sql, company);
  }) as Pace;
}

interface Pace {
  failures: number;
  cooldown_s: number | null;
  throttle: number;
}

async function paceOf(sql: postgres.Sql, company: SendingCompany): Promise<Pace> {
  const [row] = await sql<Pace[]>`
    select p.failures, round(extract(epoch from p.blocked_until - now()))::int as cooldown_s,
      outbound.current_throttle(p) as throttle
    from outbound.sender_rate_state as p where p.sender_id = ${company.sender.id}`;
  return row!;
}

Deno.test("adjust_senders() opens the breaker after five failures in a row, not before", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const four = await adjust(sql, company, "unreachable", "unreachable", "unreachable", "unreachable");
    const none = await adjust(sql, company, "reached");
    await adjust(sql, company, "unreachable", "unreachable", "unreachable");
    const five = await adjust(sql, company, "unreachable", "unreachable");

    assert.deepEqual([four, none], [
      { failures: 4, cooldown_s: null, throttle: 1 },
      { failures: 0, cooldown_s: null, throttle: 1 },
    ]);
    assert.deepEqual(five, { failures: 5, cooldown_s: 1, throttle: 1 });
  }));

Deno.test("an outage is as old as its first failure, not as one before two minutes without an attempt", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 9 });
    // In steps of 30 s, so that the test may take some seconds.
    const agesOf = async () => {
      const [{ age, shown }] = await sql<[{ age: number | null; shown: number | null }]>`
        select floor(extract(epoch from now() - p.unreachable_since) / 30)::int * 30 as age,
          floor(extract(epoch from now() - outbound.outage_since(p)) / 30)::int * 30 as shown
        from outbound.sender_rate_state as p where p.sender_id = ${company.sender.id}`;
      return [age, shown];
    };
    const tryInVain = async () => {
      assert.equal((await claim(sql, { limit: 1 })).length, 1);
      await adjust(sql, company, "unreachable");
    };

    await tryInVain();
    await letTimePass(sql, 3600);
    await tryInVain();
    assert.deepEqual(await agesOf(), [0, null], "one lost connection, an hour ago, is no part of it");

    for (let attempts = 0; attempts < 3; attempts++) await tryInVain();
    await letTimePass(sql, 90);
    await tryInVain();
    assert.deepEqual(await agesOf(), [90, 90]);

    await letTimePass(sql, 3600);
    assert.deepEqual(await agesOf(), [3690, null]);
    assert.equal((await claim(sql, { limit: 1 })).length, 1);
    assert.deepEqual(await agesOf(), [null, null], "the attempt is under way");
    await adjust(sql, company, "unreachable");
    assert.deepEqual(await agesOf(), [0, 0]);
  }));

Deno.test("adjust_senders() does not punish a sender for all that was in flight when the platform went away", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);

    const first = await adjust(sql, company, ...Array(500).fill("unreachable"));
    const { cooldown_s: _, ...second } = await adjust(sql, company, ...Array(500).fill("unreachable"));

    assert.deepEqual(second, { failures: 5, throttle: 1 });
    assert.deepEqual(first, { failures: 5, cooldown_s: 1, throttle: 1 });
  }));

Deno.test("adjust_senders() lets one answer outweigh failures of the same moment", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);

    await adjust(sql, company, ...Array(9).fill("unreachable"), "reached");

    assert.equal((await paceOf(sql, company)).failures, 0);
  }));

Deno.test("adjust_senders() closes the breaker on any answer, a refusal included", () =>
  withTestDatabase(async ({ sql }) => {
    for (const answer of ["reached", "slow_down", "stop"] as const) {
      const company = await insertSendingCompany(sql);
      await adjust(sql, company, ...Array(5).fill("unreachable"));

      await adjust(sql, company, answer);

      const { failures, cooldown_s } = await paceOf(sql, company);
      assert.deepEqual([failures, cooldown_s], [0, null]);
    }
  }));

Deno.test("a breaker lets one message through after 1, 2, 4 … 60 seconds", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 20 });
    let { cooldown_s } = await adjust(sql, company, ...Array(5).fill("unreachable"));
    const cooldowns: (number | null)[] = [];

    for (let round = 0; round < 9; round++) {
      cooldowns.push(cooldown_s);
      await letTimePass(sql, cooldown_s! - 0.9);
      assert.equal((await claim(sql)).length, 0);
      await letTimePass(sql, 1);
      const probe = await claim(sql);
      assert.equal(probe.length, 1);
      await finish(sql, probe, { outcome: "not_sent", retry_in_s: 0 });
      ({ cooldown_s } = await adjust(sql, company, "unreachable"));
    }

    assert.deepEqual(cooldowns, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    const attempts = await sql`select max(attempt)::int as most from outbound.notifications`;
    assert.equal(attempts[0]?.most, 0);
  }));

Deno.test("a breaker that closed lets everything through again", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 20 });
    await adjust(sql, company, ...Array(5).fill("unreachable"));
    await letTimePass(sql, 2);
    const [probe] = await claim(sql);
    assert.equal(probe?.was_unreachable, true);

    await adjust(sql, company, "reached");

    const claimed = await claim(sql);
    assert.equal(claimed.length, 19);
    assert.ok(claimed.every(({ was_unreachable }) => !was_unreachable));
  }));

Deno.test("adjust_senders() halves the rate once per second, and quiet half minutes double it again", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const throttles: number[] = [];
    const record = async () => throttles.push((await paceOf(sql, company)).throttle);

    await adjust(sql, company, "slow_down", "slow_down");
    await adjust(sql, company, "slow_down");
    await record();
    await letTimePass(sql, 2);
    await adjust(sql, company, "slow_down");
    await record();
    for (const seconds of [31, 30, 30]) {
      await letTimePass(sql, seconds);
      await record();
    }

    assert.deepEqual(throttles, [0.5, 0.25, 0.5, 1, 1]);
  }));

Deno.test("adjust_senders() never slows a sender down to nothing", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql, { sender: { rate_per_second: 80 } });
    await enqueue(sql, company, { count: 5 });
    for (let n = 0; n < 20; n++) {
      await adjust(sql, company, "slow_down");
      await letTimePass(sql, 2);
    }

    assert.equal((await paceOf(sql, company)).throttle, 0.02);
    assert.equal((await claim(sql)).length, 1);
  }));

Deno.test("adjust_senders() empties the bucket of a sender that is too fast", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql, { sender: { rate_per_second: 1 } });
    await enqueue(sql, company, { count: 2 });
    await fillBucket(sql, company.sender.id);

    await adjust(sql, company, "slow_down");

    assert.equal((await claim(sql)).length, 0);
  }));

Deno.test("adjust_senders() records that an account is locked, also of a sender that is stopped already", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const ids = { company_id: company.id, sender_id: company.sender.id, change: "stop" } as const;
    const read = async () => {
      const [row] = await sql`select stopped_reason, locked from outbound.senders`;
      return [row?.stopped_reason, row?.locked];
    };

    await adjustSenders(sql, [{ ...ids, reason: "Token" }]);
    const stopped = await read();
    await adjustSenders(sql, [{ ...ids, reason: "Token" }, { ...ids, reason: "Locked", locked: true }]);
    const locked = await read();
    await adjustSenders(sql, [{ ...ids, reason: "Token" }]);

    assert.deepEqual([stopped, locked, await read()], [["Token", false], ["Locked", true], ["Locked", true]]);
  }));

Deno.test("adjust_senders() stops a sender, says why, and leaves its messages waiting", () =>
  withTestDatabase(async ({ sql }) => {
    const [company, other] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    const { ids } = await enqueue(sql, company);

    await adjust(sql, company, "stop");
    await adjust(sql, company, "reached");

    assert.deepEqual(await claim(sql), []);
    const [row] =
      await sql`select status, stopped_reason from outbound.senders where id = ${company.sender.id}`;
    assert.deepEqual(row, { status: "stopped", stopped_reason: "The token has expired" });
    const [state] = await statesOf(sql, ids);
    assert.deepEqual([state?.status, state?.attempt], ["queued", 0]);
    const [active] = await sql`select status from outbound.senders where id = ${other.sender.id}`;
    assert.equal(active?.status, "active");
  }));

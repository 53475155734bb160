import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { printFigures } from "../figures.ts";
import { plainNumber } from "../plain_number.ts";
import { type FaultEnvironment, withFaults } from "../with_faults.ts";

const PEOPLE = 150;
const KILLS = 15;

/** People write, and each is replied to. Returns the numbers. */
async function queueReplies({ http, key, platform, sender, sql }: FaultEnvironment): Promise<string[]> {
  const numbers = Array.from({ length: PEOPLE }, (_, index) => plainNumber(index));
  for (const number of numbers) {
    await platform.write(number, { phone_number_id: sender.platform_id, type: "text", text: "Hello" });
  }
  await eventually(async () => {
    const [row] = await sql`select count(*)::int from outbound.contact_messages`;
    assert.equal(row?.count, PEOPLE);
  }, 30_000);
  await Promise.all(numbers.map(async (number) => {
    const query = { access_key: key.key };
    const reply = { number, text: `Hello ${number}` };
    const { status } = await http.post("/manage/companies/mine/contacts/replies", reply, { query });
    assert.equal(status, 200);
  }));
  return numbers;
}

async function repliesIn(sql: FaultEnvironment["sql"], ...statuses: string[]): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from outbound.contact_messages where direction = 'out' and status = any (${statuses})`;
  return row!.count;
}

Deno.test("dispatchers are killed while they send replies: no person reads one twice, and each that was not sent is reported", () =>
  withFaults(async (t) => {
    const numbers = await queueReplies(t);
    await t.platform.configure({ latency_ms: 500 });
    const pool = t.startDispatchers(2);
    let hit = 0;
    for (let kill = 0; kill < KILLS && await repliesIn(t.sql, "queued", "sending") > 0; kill++) {
      await pool.ready();
      await eventually(async () => assert.ok(await repliesIn(t.sql, "sending") > 0), 5000).catch(() => {});
      hit += await repliesIn(t.sql, "sending");
      await pool.killOne();
    }
    await pool.ready();
    await eventually(
      async () => assert.equal(await repliesIn(t.sql, "queued", "sending", "unconfirmed", "sent"), 0),
      60_000,
    );
    await pool.stop();

    const arrived = (await t.platform.allMessages()).map(({ rendered }: JsonObject) => rendered.body);
    const ends = await t.sql<{ number: string; status: string; error_code: string | null }[]>`
      select number, status, error_code from outbound.contact_messages where direction = 'out'`;
    const times = (number: string) => arrived.filter((text) => text === `Hello ${number}`).length;
    printFigures("replies under kill -9", {
      "in flight at a kill": hit,
      "reported as unknown": ends.filter(({ status }) => status === "failed").length,
      twice: numbers.filter((number) => times(number) > 1).length,
    });
    assert.ok(hit > 0, "no kill hit a reply in flight");
    assert.equal(ends.length, PEOPLE);
    for (const { number, status, error_code } of ends) {
      const end = status === "read" ? 1 : 0;
      assert.deepEqual([number, times(number)], [number, end], `${status} ${error_code}`);
      if (end === 0) assert.deepEqual([status, error_code], ["failed", "outcome_unknown"]);
    }
  }, { ratePerSecond: 400 }));

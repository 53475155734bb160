import assert from "node:assert/strict";
import postgres from "postgres";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import {
  calledNumber,
  enqueueCalls,
  goingOn,
  insertCallingCompany,
} from "../../setup/fixtures/calling_company.ts";
import { assertConserved, claim, finish } from "../../setup/fixtures/queue.ts";

const WORKERS = 8;
const LINES = 3;
const CALLS = 400;

Deno.test("claims that race for the last line never take one too many, nor call a number twice at once", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    const company = await insertCallingCompany(sql, { concurrency: LINES });
    await sql`update outbound.companies set call_gap_s = 1`;
    // Every number twice: what is put off by the gap is claimed again soon.
    const numbers = Array.from({ length: CALLS }, (_, index) => calledNumber(index % (CALLS / 2)));
    await enqueueCalls(sql, company, { numbers });
    const under = new Set<string>();
    let made = 0;

    async function work(worker: string, own: postgres.Sql): Promise<void> {
      for (const until = Date.now() + 20_000; made < CALLS && Date.now() < until;) {
        const calls = await claim(own, { worker, limit: 2 });
        for (const { number } of calls) {
          assert.ok(!under.has(number!), "called twice at once");
          under.add(number!);
        }
        assert.ok(under.size <= LINES, `${under.size} calls over ${LINES} lines`);
        made += calls.length;
        calls.forEach(({ number }) => under.delete(number!));
        await finish(own, calls, { outcome: "failed" }, { worker });
      }
    }

    const own = Array.from({ length: WORKERS }, () => postgres(url, { max: 1, onnotice: () => {} }));
    try {
      await Promise.all(own.map((each, index) => work(`worker-${index}`, each)));
    } finally {
      await Promise.all(own.map((each) => each.end({ timeout: 5 })));
    }

    assert.deepEqual([made, await goingOn(sql, company.sender.id)], [CALLS, 0]);
    await assertConserved(sql);
  }));

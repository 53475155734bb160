import assert from "node:assert/strict";
import { inTheEnd } from "../../setup/eventually.ts";
import { sendUnderKills } from "./dispatcher_kills.ts";
import { printFigures } from "../figures.ts";
import { assertBalanced } from "../send_log.ts";
import { withFaults } from "../with_faults.ts";

Deno.test("100 times one of three dispatchers is killed: nothing is lost, nothing is sent twice", () =>
  withFaults(async (t) => {
    const accepted = await sendUnderKills(t, 100);

    const sendLog = await t.sendLog();
    printFigures("100 x kill -9", {
      accepted,
      "unknown outcomes": await t.unknownAttempts(),
      lost: sendLog.lost.length,
      twice: sendLog.twice.length,
    });
    assertBalanced(sendLog, { allow: "nothing" });
    assert.ok(await t.unknownAttempts() > 0, "no kill hit a message in flight");
    await inTheEnd(async () => {
      const [row] = await t.sql`select count(*)::int from outbound.notifications where status <> 'read'`;
      assert.equal(row?.count, 0);
    });
  }, { ratePerSecond: 400 }));

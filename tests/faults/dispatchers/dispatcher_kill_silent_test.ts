import { sendUnderKills } from "./dispatcher_kills.ts";
import { printFigures } from "../figures.ts";
import { assertBalanced } from "../send_log.ts";
import { withFaults } from "../with_faults.ts";

Deno.test("without the platform's events, kills repeat only what was of unknown outcome", () =>
  withFaults(async (t) => {
    const accepted = await sendUnderKills(t, 20);

    const sendLog = await t.sendLog();
    printFigures("20 x kill -9 without events", {
      accepted,
      "unknown outcomes": await t.unknownAttempts(),
      lost: sendLog.lost.length,
      twice: sendLog.twice.length,
    });
    assertBalanced(sendLog, { allow: "unknown" });
  }, { ratePerSecond: 400, events: false }));

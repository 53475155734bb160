import { printFigures } from "../figures.ts";
import { startIntake } from "../intake.ts";
import { assertBalanced } from "../send_log.ts";
import { withFaults } from "../with_faults.ts";

/** Longer than the lease of 2 s and the window of 4 s together: others have sent what the process had. */
const SUSPENDED_MS = 8000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("a dispatcher that is suspended for longer than its leases sends nothing that others have sent", () =>
  withFaults(async (t) => {
    await t.platform.configure({ latency_ms: 200 });
    const pool = t.startDispatchers(2);
    await pool.ready();
    const intake = startIntake(t, { contacts: 20, everyMs: 100 });
    await pause(1000);

    await pool.suspend(0, SUSPENDED_MS);
    await pause(1000);
    const accepted = await intake.stop();
    await t.settle();
    await pool.stop();

    const sendLog = await t.sendLog();
    printFigures(`a dispatcher suspended for ${SUSPENDED_MS / 1000} s`, {
      accepted,
      "unknown outcomes": await t.unknownAttempts(),
      lost: sendLog.lost.length,
      twice: sendLog.twice.length,
    });
    assertBalanced(sendLog, { allow: "nothing" });
  }, { ratePerSecond: 2000 }));

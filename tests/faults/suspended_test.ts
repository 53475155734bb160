import { printFigures } from "./figures.ts";
import { startIntake } from "./intake.ts";
import { assertBalanced } from "./ledger.ts";
import { withFaults } from "./with_faults.ts";

/** Longer than the lease of 2 s and the window of 4 s together: others have sent what the process had. */
const SUSPENDED_MS = 8000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("a dispatcher that is suspended for longer than its leases sends nothing that others have sent", () =>
  withFaults(async (t) => {
    await t.platform.configure({ latency_ms: 200 });
    const crew = t.startCrew(2);
    await crew.ready();
    const intake = startIntake(t, { contacts: 20, everyMs: 100 });
    await pause(1000);

    await crew.suspend(0, SUSPENDED_MS);
    await pause(1000);
    const accepted = await intake.stop();
    await t.settle(60_000);
    await crew.stop();

    const ledger = await t.ledger();
    printFigures(`a dispatcher suspended for ${SUSPENDED_MS / 1000} s`, {
      accepted,
      "unknown outcomes": await t.unknownTries(),
      lost: ledger.lost.length,
      twice: ledger.twice.length,
    });
    assertBalanced(ledger, { allow: "nothing" });
  }, { ratePerSecond: 2000 }));

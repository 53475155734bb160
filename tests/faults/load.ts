import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { printFigures } from "./figures.ts";
import { startIntake } from "./intake.ts";
import { assertBalanced } from "./ledger.ts";
import type { FaultWorld } from "./with_faults.ts";

/** Longer than the database may be away: what the platform says meanwhile has to be heard before anything is sent again. */
const WINDOW_S = "10";

/** Sent before the fault begins, and after it is over. */
const SENT_EACH = 150;

export interface LoadOptions {
  test: string;
  /** What happens to the database while requests come in and messages leave. */
  fault: () => Promise<void>;
  dispatchers?: number;
}

/**
 * Accepts and sends all the while `fault` happens, and fails unless everything that was accepted was stored and left once.
 */
export async function underLoad(t: FaultWorld, { test, fault, dispatchers = 2 }: LoadOptions): Promise<void> {
  await t.platform.configure({ latency_ms: 60 });
  const crew = t.startCrew(dispatchers, () => ({ env: { UNCONFIRMED_WINDOW_S: WINDOW_S } }));
  await crew.ready();
  const intake = startIntake(t, { contacts: 10, everyMs: 100 });

  await untilTaken(t, SENT_EACH);
  const startedAt = Date.now();
  await fault();
  const faultMs = Date.now() - startedAt;
  await untilTaken(t, (await t.platform.allMessages()).length + SENT_EACH);
  const accepted = await intake.stop();
  await t.settle(60_000);
  await crew.stop();

  const ledger = await t.ledger();
  printFigures(test, {
    accepted,
    stored: ledger.entries.length,
    "ms of the fault": faultMs,
    "unknown outcomes": await t.unknownTries(),
    lost: ledger.lost.length,
    twice: ledger.twice.length,
  });
  assertBalanced(ledger, { allow: "nothing" });
  assert.ok(accepted > 0);
}

/** Resolves when the platform has taken this many messages. */
export async function untilTaken({ platform }: FaultWorld, count: number): Promise<void> {
  await eventually(async () => assert.ok((await platform.allMessages()).length >= count), 30_000);
}

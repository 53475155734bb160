import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { printFigures } from "./figures.ts";
import { startIntake } from "./intake.ts";
import { assertBalanced } from "./send_log.ts";
import type { FaultEnvironment } from "./with_faults.ts";

/** Longer than the database may be away: events of the platform must arrive before a resend. */
const WINDOW_S = "10";

/** Sent before the fault begins, and after it is over. */
const SENT_EACH = 150;

export interface LoadOptions {
  test: string;
  /** The fault of the database while requests come in and messages leave. */
  fault: () => Promise<void>;
  dispatchers?: number;
}

/**
 * Accepts and sends all the while `fault` happens, and fails unless everything that was accepted was stored and left once.
 */
export async function underLoad(
  t: FaultEnvironment,
  { test, fault, dispatchers = 2 }: LoadOptions,
): Promise<void> {
  await t.platform.configure({ latency_ms: 60 });
  const pool = t.startDispatchers(dispatchers, () => ({ env: { OUTBOUND_UNCONFIRMED_WINDOW_S: WINDOW_S } }));
  await pool.ready();
  const intake = startIntake(t, { contacts: 10, everyMs: 100 });

  await untilTaken(t, SENT_EACH);
  const startedAt = Date.now();
  await fault();
  const faultMs = Date.now() - startedAt;
  await untilTaken(t, (await t.platform.allMessages()).length + SENT_EACH);
  const accepted = await intake.stop();
  await t.settle();
  await pool.stop();

  const sendLog = await t.sendLog();
  printFigures(test, {
    accepted,
    stored: sendLog.entries.length,
    "ms of the fault": faultMs,
    "unknown outcomes": await t.unknownAttempts(),
    lost: sendLog.lost.length,
    twice: sendLog.twice.length,
  });
  assertBalanced(sendLog, { allow: "nothing" });
  assert.ok(accepted > 0);
}

/** Resolves when the platform has taken this many messages. */
export async function untilTaken({ platform }: FaultEnvironment, count: number): Promise<void> {
  await eventually(async () => assert.ok((await platform.allMessages()).length >= count));
}

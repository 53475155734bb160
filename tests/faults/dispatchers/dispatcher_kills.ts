import type { FaultEnvironment } from "../with_faults.ts";
import { startIntake } from "../intake.ts";

const MAX_PAUSE_MS = 300;

/** Kills dispatchers, one after the other, while requests keep coming in. Returns how many were accepted. */
export async function sendUnderKills(t: FaultEnvironment, kills: number): Promise<number> {
  await t.platform.configure({ latency_ms: 60 });
  const pool = t.startDispatchers(3);
  await pool.ready();
  const intake = startIntake(t, { contacts: 20, everyMs: 120 });
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS));
    await pool.killOne();
  }
  const accepted = await intake.stop();
  await pool.ready();
  await t.settle();
  await pool.stop();
  return accepted;
}

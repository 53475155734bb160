import { connect } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { causeOf } from "../../supabase/functions/_shared/error_cause.ts";
import { assertConserved } from "../setup/fixtures/queue.ts";

/** Checks the counters of every campaign repeatedly while a test runs. */
export interface CounterMonitor {
  /** Stops the checks and throws the first failure. Returns the number of checks. */
  stop(): Promise<number>;
}

const MIN_PAUSE_MS = 150;
/** Checks of large campaigns leave the database most of its time. */
const PAUSES_PER_CHECK = 4;

/** Starts the checks on a connection of its own. An unreachable database is not a failure. */
export function startCounterMonitor(databaseUrl: string): CounterMonitor {
  const sql = connect(databaseUrl, { max: 1 });
  let stopped = false;
  let checks = 0;

  async function check(): Promise<void> {
    while (!stopped) {
      const startedAt = performance.now();
      try {
        await assertConserved(sql);
        checks++;
      } catch (error) {
        if (causeOf(error) !== "database") throw error;
      }
      const pauseMs = Math.max(MIN_PAUSE_MS, PAUSES_PER_CHECK * (performance.now() - startedAt));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  const checking = check().then(() => null, (error: unknown) => error);
  return {
    async stop() {
      stopped = true;
      const wrong = await checking;
      await sql.end({ timeout: 5 });
      if (wrong !== null) throw wrong;
      return checks;
    },
  };
}

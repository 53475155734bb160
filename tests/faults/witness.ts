import { connect } from "../../supabase/functions/_shared/db/connect.ts";
import { causeOf } from "../../supabase/functions/_shared/db/error_cause.ts";
import { assertConserved } from "../queue/queue.ts";

/** Looks at the counters of every campaign again and again while other things happen. */
export interface Witness {
  /** Ends it, and fails with the first thing that was wrong. Returns how often it looked. */
  stop(): Promise<number>;
}

const PAUSE_MS = 150;

/** Starts looking, over a connection of its own. A database that is away is no reason to complain. */
export function startWitness(databaseUrl: string): Witness {
  const sql = connect(databaseUrl, { max: 1 });
  let stopped = false;
  let looks = 0;

  async function look(): Promise<void> {
    while (!stopped) {
      try {
        await assertConserved(sql);
        looks++;
      } catch (error) {
        if (causeOf(error) !== "database") throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  const looking = look().then(() => null, (error: unknown) => error);
  return {
    async stop() {
      stopped = true;
      const wrong = await looking;
      await sql.end({ timeout: 5 });
      if (wrong !== null) throw wrong;
      return looks;
    },
  };
}

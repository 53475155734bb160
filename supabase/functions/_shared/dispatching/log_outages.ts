import { reportPlatformOutages } from "../db/queue/settings.ts";
import type { Services } from "../services.ts";

/** Logs outages of the platforms: one line when each begins and one when it is over, of all processes together. */
export async function logOutages({ sql, log }: Pick<Services, "sql" | "log">): Promise<void> {
  for (const { channel, since, senders, next_try_at, is_over } of await reportPlatformOutages(sql)) {
    if (is_over) {
      log.info("the platform responds again", { platform: channel, since });
    } else {
      const fields = { platform: channel, since, senders, next_try_at };
      log.warn("the platform does not respond: messages wait", fields);
    }
  }
}

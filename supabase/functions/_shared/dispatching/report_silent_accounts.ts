import type { SilentAccount } from "../db/dispatch_queue.ts";
import type { Services } from "../services.ts";
import { missingForProbes } from "./probe_webhook.ts";

/** An account that has not been reported for so many windows can be heard again. */
const WINDOWS_UNTIL_OVER = 3;

/**
 * Logs accounts whose messages wait because no event of theirs can arrive: each once, until events could arrive for a
 * while. Call it after every tick.
 */
export function createSilentAccountLog({ env, log, now }: Services): (accounts: SilentAccount[]) => void {
  const overAfterMs = WINDOWS_UNTIL_OVER * env.UNCONFIRMED_WINDOW_S * 1000;
  /** When each was last reported by the database. */
  const reported = new Map<string, number>();

  return (accounts) => {
    const at = now().getTime();
    for (const { company_id, waba_id, messages, refused } of accounts) {
      const key = `${company_id}:${waba_id}`;
      const known = reported.has(key);
      reported.set(key, at);
      if (known) continue;
      log.error("messages whose outcome nobody knows wait: no event of their account can arrive", {
        ...{ company_id, waba_id, messages },
        check: refused ? REFUSED : [SILENT, ...missing(env)].join("; "),
      });
    }
    for (const [key, last] of reported) {
      if (at - last > overAfterMs) reported.delete(key);
    }
  };
}

const REFUSED =
  "WHATSAPP_APP_SECRET: the signatures of the platform's events are refused, so it is not the secret of the app that sends them";
const SILENT = "the webhook's URL and the subscription of the account in the platform's settings";

function missing(env: Services["env"]): string[] {
  const names = missingForProbes(env);
  return names.length === 0
    ? []
    : [`without ${names.join(" and ")} here, only events show that the webhook works`];
}

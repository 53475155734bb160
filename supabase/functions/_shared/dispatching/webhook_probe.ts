import type { SilentAccount } from "../db/queue/dispatch_queue.ts";
import { beginWebhookProbe, endWebhookProbe } from "../db/queue/platform_events.ts";
import type { Env } from "../env.ts";
import { postProbe } from "../gateways/own_webhook.ts";
import type { Services } from "../services.ts";
import { functionsUrl } from "../values/urls.ts";

const MAX_PROBE_MS = 5000;
/**
 * The share of the time between two of our probes that must pass between the probes of all processes, and after which a
 * probe is over.
 */
const SHARE_OF_PROBE_MS = 0.8;

/** Returns how often a dispatcher probes: at least once in any half of the window, so that no window ends without one. */
export function probeEveryMs(env: Env): number {
  return Math.min(MAX_PROBE_MS, env.OUTBOUND_UNCONFIRMED_WINDOW_S * 500);
}

/** Returns the names of the settings that a dispatcher lacks to probe the webhook. */
export function missingForProbes(env: Env): string[] {
  return (["OUTBOUND_PUBLIC_URL", "WHATSAPP_APP_SECRET"] as const).filter((name) => !env[name]);
}

/**
 * Makes the chore that probes our own webhook through OUTBOUND_PUBLIC_URL, often while messages are unconfirmed and seldom
 * otherwise. The platform's silence means something only if the webhook can be reached. The database keeps the result
 * for `tick`. Logs once that the webhook cannot be reached, and once that it can be again.
 */
export function createWebhookProbe({ env, log, sql }: Services): () => Promise<void> {
  const timeoutMs = probeEveryMs(env) * SHARE_OF_PROBE_MS;
  const { OUTBOUND_PUBLIC_URL, WHATSAPP_APP_SECRET: appSecret } = env;
  let isFailing = false;

  return async () => {
    if (!OUTBOUND_PUBLIC_URL || !appSecret) return;
    const nonce = await beginWebhookProbe(sql, { everyMs: timeoutMs });
    if (nonce === null) return;
    const webhookUrl = `${functionsUrl(OUTBOUND_PUBLIC_URL)}/webhooks/whatsapp`;
    const failure = await postProbe({ webhookUrl, appSecret, nonce }, { timeoutMs });
    const cameBack = await endWebhookProbe(sql, nonce);
    if (cameBack === null || cameBack !== isFailing) return;
    isFailing = !cameBack;
    if (cameBack) return log.info("our webhook can be reached again", { url: webhookUrl });
    log.error("our webhook cannot be reached: unconfirmed messages wait", {
      url: webhookUrl,
      reason: failure ?? "It responded 200, but works on another database",
      check:
        "OUTBOUND_PUBLIC_URL; the proxy and the API behind it; WHATSAPP_APP_SECRET, the same in every process",
    });
  };
}

/** An account that the database has not reported for so many windows receives its events again. */
const WINDOWS_UNTIL_OVER = 3;

/**
 * Makes the function that logs accounts whose messages wait because no event of theirs can arrive. Each account is logged
 * once, until its events could arrive for a while. Call it after every tick.
 */
export function createSilentAccountLog({ env, log, now }: Services): (accounts: SilentAccount[]) => void {
  const overAfterMs = WINDOWS_UNTIL_OVER * env.OUTBOUND_UNCONFIRMED_WINDOW_S * 1000;
  /** When the database last reported each. */
  const reported = new Map<string, number>();

  return (accounts) => {
    const at = now().getTime();
    for (const { company_id, waba_id, messages, refused } of accounts) {
      const key = `${company_id}:${waba_id}`;
      const known = reported.has(key);
      reported.set(key, at);
      if (known) continue;
      log.error("unconfirmed messages wait: no event of their account can arrive", {
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

function missing(env: Env): string[] {
  const names = missingForProbes(env);
  return names.length === 0
    ? []
    : [`without ${names.join(" and ")} here, only events show that the webhook works`];
}

import { beginWebhookProbe, endWebhookProbe } from "../db/webhook_signals.ts";
import type { Env } from "../env.ts";
import { functionsUrl } from "../functions_url.ts";
import { postProbe } from "../gateways/own_webhook/post_probe.ts";
import type { Services } from "../services.ts";

const MAX_PROBE_MS = 5000;
/** Probes by all processes begin this far apart, and each is over by then: shares of the time between two of ours. */
const SHARE_OF_PROBE_MS = 0.8;

/** How often a dispatcher probes: at least once in any half of the window, so that a window never ends for lack of one. */
export function probeEveryMs(env: Env): number {
  return Math.min(MAX_PROBE_MS, env.UNCONFIRMED_WINDOW_S * 500);
}

/** What a dispatcher needs to probe the webhook, by the names of the settings; empty when nothing is missing. */
export function missingForProbes(env: Env): string[] {
  return (["PUBLIC_URL", "WHATSAPP_APP_SECRET"] as const).filter((name) => !env[name]);
}

/**
 * A chore that probes our own webhook through PUBLIC_URL, often while messages are unconfirmed and seldom otherwise: the
 * platform's silence means something only if the webhook can be reached. The database keeps what came of it, for tick().
 * Logs once that the webhook cannot be reached, and once that it can be again.
 */
export function createWebhookProbe({ env, log, sql }: Services): () => Promise<void> {
  const timeoutMs = probeEveryMs(env) * SHARE_OF_PROBE_MS;
  const { PUBLIC_URL, WHATSAPP_APP_SECRET: appSecret } = env;
  let isFailing = false;

  return async () => {
    if (!PUBLIC_URL || !appSecret) return;
    const nonce = await beginWebhookProbe(sql, { everyMs: timeoutMs });
    if (nonce === null) return;
    const webhookUrl = `${functionsUrl(PUBLIC_URL)}/webhooks/whatsapp`;
    const failure = await postProbe({ webhookUrl, appSecret, nonce }, { timeoutMs });
    const cameBack = await endWebhookProbe(sql, nonce);
    if (cameBack === null || cameBack !== isFailing) return;
    isFailing = !cameBack;
    if (cameBack) return log.info("our webhook can be reached again", { url: webhookUrl });
    log.error("our webhook cannot be reached: messages whose outcome nobody knows wait", {
      url: webhookUrl,
      reason: failure ?? "It responded 200, but works on another database",
      check: "PUBLIC_URL; the proxy and the API behind it; WHATSAPP_APP_SECRET, the same in every process",
    });
  };
}

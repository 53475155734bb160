import { createSealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { openToken } from "../../supabase/functions/_shared/crypto/sender_token.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  readSendersToCheck,
  type SenderToCheck,
} from "../../supabase/functions/_shared/db/queue/installation.ts";
import type { Env } from "../../supabase/functions/_shared/env.ts";
import { numberPath } from "../../supabase/functions/_shared/gateways/voice/number_provider.ts";
import { checkNumber } from "../../supabase/functions/_shared/gateways/whatsapp/check_number.ts";
import { failed, type Finding, ok, warning } from "./finding.ts";

/** Each is one request to a platform. */
const MAX_SENDERS = 20;
const TIMEOUT_MS = 5000;

/** Checks senders of all companies: whether they may send, and whether the platform accepts their token. */
export async function checkSenders(sql: Sql, env: Env): Promise<Finding[]> {
  const senders = await readSendersToCheck(sql, MAX_SENDERS + 1);
  if (senders.length === 0) {
    return [warning("senders", "there is none yet", "Make one: deno task admin sender create --help.")];
  }
  const checked = senders.slice(0, MAX_SENDERS);
  const faults = (await Promise.all(checked.map((sender) => checkSender(sender, env)))).flat();
  if (faults.length > 0) return faults;
  const count = senders.length > MAX_SENDERS ? `the newest ${MAX_SENDERS}` : `all ${checked.length}`;
  return [ok("senders", `${count} may send, and the platforms accept their tokens`)];
}

async function checkSender(sender: SenderToCheck, env: Env): Promise<Finding[]> {
  const name = `${sender.channel} ${sender.number}`;
  if (sender.status === "stopped") {
    const todo =
      `Remove the cause at the platform, then, as a member: outbound senders resume ${sender.sender_id}.`;
    return [failed("senders", `${name} is stopped: ${sender.stopped_reason ?? "without a reason"}`, todo)];
  }
  const fault = await tokenFault(sender, env);
  if (fault === null) return [];
  return [
    failed("senders", `${name}: ${fault}`, `deno task admin sender update ${sender.sender_id} --token.`),
  ];
}

/** Returns why a sender's token is of no use; null when the platform accepts it. */
async function tokenFault(sender: SenderToCheck, env: Env): Promise<string | null> {
  const fallback = sender.channel === "voice" ? env.ELEVENLABS_API_KEY : undefined;
  const opened = await openToken(createSealer(env.OUTBOUND_SECRETS_KEY), sender, fallback);
  if (opened.kind === "missing") return "it has no token";
  if (opened.kind === "unreadable") return "OUTBOUND_SECRETS_KEY does not open its token";
  const { token } = opened;
  const options = { timeoutMs: TIMEOUT_MS };
  if (sender.channel === "whatsapp") {
    const config = { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION };
    return await checkNumber(config, { phoneNumberId: sender.platform_id, token }, options);
  }
  const query = { apiKey: token, phoneNumberId: sender.platform_id };
  const path = await numberPath({ apiUrl: env.ELEVENLABS_API_URL }, query, options);
  return "path" in path ? null : path.reason;
}

import type { Context } from "hono";
import type { SandboxEnv } from "../../http/sandbox_app.ts";
import { drawFault, faultResponse } from "../draw_fault.ts";
import { findAgent, findPhoneNumber, type VoiceAccount, type VoicePhoneNumber } from "../voice_accounts.ts";
import { VoiceError } from "../voice_error.ts";
import type { VoiceFault } from "../voice_fault.ts";
import type { VoicePlatform } from "../voice_platform.ts";
import { acceptCall } from "./accept_call.ts";
import type { StoredCall } from "./call.ts";
import { concurrencyOf } from "./call_slots.ts";
import { type OutboundCall, parseOutboundBody } from "./outbound_call.ts";

/**
 * `POST /v1/convai/{twilio|sip-trunk}/outbound-call`: checks the request, draws its faults, makes the call and
 * responds. Faults apply after the checks, so only calls that the platform would have made use them up. A refusing
 * fault applies before the limits and the ledger.
 */
export async function postOutboundCall(
  voice: VoicePlatform,
  c: Context<SandboxEnv>,
  provider: VoicePhoneNumber["provider"],
): Promise<Response> {
  const account = voice.accounts.authorize(c.req.header("xi-api-key"));
  const body = parseOutboundBody(await readText(c));
  const agent = findAgent(account, body.agent_id);
  const number = findPhoneNumber(account, body.agent_phone_number_id);
  checkProvider(number, provider);
  const to = parseRecipient(body.to_number, number);
  const fault = drawFault(voice, {
    route: "outbound-call",
    to,
    agent_id: agent.agentId,
    phone_number_id: number.phoneNumberId,
  });
  const outbound: OutboundCall = { account, agent, number, body, to, fault };
  if (!isMade(fault)) return await respondToCall(voice, c, outbound, null);
  checkLimits(voice, account);
  return await respondToCall(voice, c, outbound, acceptCall(voice, outbound));
}

export async function readText(c: Context): Promise<string> {
  if (!/^application\/json\b/i.test(c.req.header("Content-Type") ?? "")) {
    throw VoiceError.list([{
      type: "model_attributes_type",
      loc: ["body"],
      msg: "Input should be a valid dictionary or object to extract fields from",
      input: null,
    }]);
  }
  return await c.req.text();
}

/** Refuses a number on the path of another provider, in the older form. */
function checkProvider(number: VoicePhoneNumber, provider: VoicePhoneNumber["provider"]): void {
  if (number.provider !== provider) {
    const missing = provider === "twilio" ? "some Twilio credentials" : "the SIP trunk configuration";
    throw VoiceError.older(
      400,
      "invalid_provider_config",
      `We are missing ${missing} for the number ${number.phoneNumber}.`,
    );
  }
  if (number.supportsOutbound === false) {
    throw VoiceError.older(
      400,
      "invalid_provider_config",
      `The number ${number.phoneNumber} cannot make outbound calls.`,
    );
  }
}

/** The digits of the recipient's number. */
export function parseRecipient(to: string, number: VoicePhoneNumber): string {
  if (!/^\+[1-9]\d{6,14}$/.test(to)) {
    throw VoiceError.current(
      400,
      "invalid_parameters",
      "to_number must be in E.164 format with a leading +",
      "to_number",
    );
  }
  if (to === number.phoneNumber) {
    throw VoiceError.current(400, "invalid_parameters", "to_number is the calling number", "to_number");
  }
  return to.slice(1);
}

function isMade(fault: VoiceFault): boolean {
  return !fault.drop_before &&
    ((fault.http === undefined && !fault.success_false) || fault.accepted === true);
}

function checkLimits(voice: VoicePlatform, account: VoiceAccount): void {
  const rate = voice.settings.calls_per_second ?? account.callsPerSecond ?? 0;
  if (rate > 0 && !voice.rates.take(account.id, { burst: rate, perSecond: rate }, Date.now())) {
    throw VoiceError.current(429, "rate_limit_exceeded", "Too many requests, slow down");
  }
  const concurrency = concurrencyOf(voice, account);
  if (voice.slots.of(account.id).active >= concurrency) {
    throw VoiceError.current(
      429,
      "concurrent_limit_exceeded",
      `Your subscription allows ${concurrency} calls at a time`,
    );
  }
}

/** The longest wait of a response for the webhook that is to come before it. */
const EARLY_WAIT_MS = 5000;

/** Responds to an outbound call as its faults ask for; `stored` is null when no call was made. */
async function respondToCall(
  voice: VoicePlatform,
  c: Context<SandboxEnv>,
  { number, fault }: OutboundCall,
  stored: StoredCall | null,
): Promise<Response> {
  const { connection } = c.env;
  if (fault.early_webhook && stored !== null) await deliverFirstWebhook(voice, stored);
  await connection.wait(fault.latency_ms ?? voice.settings.latency_ms);
  if (fault.drop_before || fault.drop) return connection.drop();
  if (fault.hang) return await connection.hang();
  if (fault.http !== undefined) return faultResponse(voice, fault, fault.http);
  if (stored !== null) connection.onResponseSent(() => markResponded(voice, stored));
  if (fault.invalid_json) {
    return new Response('{"success":true,"message":"Call qu', {
      headers: { "Content-Type": "application/json" },
    });
  }
  const silent = fault.null_ids || fault.success_false || stored === null;
  return c.json({
    success: fault.success_false !== true,
    message: fault.success_false ? "The call could not be placed" : "Call queued",
    conversation_id: silent ? null : stored.call.id,
    [number.provider === "twilio" ? "callSid" : "sip_call_id"]: silent ? null : stored.call.platform_call_id,
  });
}

async function deliverFirstWebhook(voice: VoicePlatform, stored: StoredCall): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => timer = setTimeout(resolve, EARLY_WAIT_MS));
  await Promise.race([voice.runner.startEarly(stored), limit]);
  clearTimeout(timer);
}

function markResponded(voice: VoicePlatform, stored: StoredCall): void {
  const at = new Date().toISOString();
  stored.call.responded_at = at;
  voice.counters.responded += 1;
  voice.journal.write({ t: "call_responded", id: stored.call.id, at });
}

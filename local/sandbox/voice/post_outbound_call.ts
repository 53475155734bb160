import type { Context } from "hono";
import type { SandboxEnv } from "../http/sandbox_app.ts";
import { acceptCall } from "./accept_call.ts";
import { answerCall } from "./answer_call.ts";
import { concurrencyOf } from "./call_limits.ts";
import type { VoiceFault } from "./fault.ts";
import { meetFaults } from "./meet_faults.ts";
import type { VoiceAccount, VoicePhoneNumber } from "./options.ts";
import { parseOutboundBody } from "./outbound_body.ts";
import type { OutboundCall } from "./outbound_call.ts";
import { findAgent, findPhoneNumber } from "./voice_accounts.ts";
import { VoiceError } from "./voice_error.ts";
import type { VoicePlatform } from "./voice_platform.ts";

/**
 * `POST /v1/convai/{twilio|sip-trunk}/outbound-call` makes a call. Faults strike after the checks, so only calls
 * the platform would have made use them up; those that refuse come before the limits and the ledger.
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
  const fault = meetFaults(voice, {
    route: "outbound-call",
    to,
    agent_id: agent.agentId,
    phone_number_id: number.phoneNumberId,
  });
  const outbound: OutboundCall = { account, agent, number, body, to, fault };
  if (!isMade(fault)) return await answerCall(voice, c, outbound, null);
  checkLimits(voice, account);
  return await answerCall(voice, c, outbound, acceptCall(voice, outbound));
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

/** A number answers only on the path of its provider, and says so in the older form. */
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

/** Digits of the person's number. */
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
  const lines = concurrencyOf(voice, account);
  if (voice.slots.of(account.id).active >= lines) {
    throw VoiceError.current(
      429,
      "concurrent_limit_exceeded",
      `Your subscription allows ${lines} calls at a time`,
    );
  }
}

import type { Context } from "hono";
import type { SandboxEnv } from "../http/sandbox_app.ts";
import type { OutboundCall } from "./accept_call.ts";
import type { StoredCall } from "./call.ts";
import type { VoiceFault } from "./fault.ts";
import { VoiceError } from "./voice_error.ts";
import type { VoicePlatform } from "./voice_platform.ts";

/** A call that is told before its answer is waited for this long. */
const EARLY_WAIT_MS = 5000;

/** Answers an outbound call the way its faults ask for; `stored` is null when no call was made. */
export async function answerCall(
  voice: VoicePlatform,
  c: Context<SandboxEnv>,
  { number, fault }: OutboundCall,
  stored: StoredCall | null,
): Promise<Response> {
  const { connection } = c.env;
  if (fault.early_webhook && stored !== null) await tellEarly(voice, stored);
  await connection.wait(fault.latency_ms ?? voice.settings.latency_ms);
  if (fault.drop_before || fault.drop) return connection.drop();
  if (fault.hang) return await connection.hang();
  if (fault.http !== undefined) return refusal(voice, fault, fault.http);
  if (stored !== null) connection.onHandedOver(() => markResponded(voice, stored));
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
    [number.provider === "twilio" ? "callSid" : "sip_call_id"]: silent ? null : stored.call.provider_call_id,
  });
}

function refusal(voice: VoicePlatform, fault: VoiceFault, status: number): Response {
  const headers: Record<string, string> = fault.retry_after === undefined
    ? {}
    : { "Retry-After": String(fault.retry_after) };
  const code = fault.code ?? CODES[status] ?? "internal_error";
  voice.counters.refused[code] = (voice.counters.refused[code] ?? 0) + 1;
  if (fault.body !== undefined) return new Response(fault.body, { status, headers });
  if (fault.form === "none") return new Response(null, { status, headers });
  return Response.json({ detail: FORMS[fault.form ?? "current"](status, code).detail }, { status, headers });
}

const SIMULATED = "Simulated by a fault";

/** The code a fault has that names only a status. */
const CODES: Readonly<Record<number, string>> = {
  400: "invalid_parameters",
  401: "invalid_api_key",
  402: "insufficient_credits",
  403: "insufficient_permissions",
  404: "agent_not_found",
  409: "conflict",
  429: "rate_limit_exceeded",
  503: "maintenance",
};

const FORMS: Record<"current" | "older" | "list" | "text", (status: number, code: string) => VoiceError> = {
  current: (status, code) => VoiceError.current(status, code, SIMULATED),
  older: (status, code) => VoiceError.older(status, code, SIMULATED),
  list: (status, code) =>
    VoiceError.list([{ type: code, loc: ["body"], msg: SIMULATED, input: null }], status),
  text: (status) => VoiceError.text(status, SIMULATED),
};

async function tellEarly(voice: VoicePlatform, stored: StoredCall): Promise<void> {
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

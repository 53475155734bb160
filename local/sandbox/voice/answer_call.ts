import type { Context } from "hono";
import type { SandboxEnv } from "../http/sandbox_app.ts";
import type { StoredCall } from "./call.ts";
import { faultyAnswer } from "./faulty_answer.ts";
import type { OutboundCall } from "./outbound_call.ts";
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
  if (fault.http !== undefined) return faultyAnswer(voice, fault, fault.http);
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

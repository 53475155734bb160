import type { Context } from "hono";
import type { Fault } from "../control/fault.ts";
import { PlatformError } from "../errors/platform_error.ts";
import type { SandboxEnv } from "../http/sandbox_app.ts";
import type { Platform } from "../platform.ts";
import type { StoredMessage } from "./message.ts";
import type { Send } from "./send.ts";

export interface Answer {
  send: Send;
  fault: Fault;
  /** `null` when a fault kept the message from being taken. */
  stored: StoredMessage | null;
}

/** A webhook that comes before the answer is waited for this long. */
const EARLY_WAIT_MS = 5000;

/** Answers a send the way its faults ask for: late, never, with a closed socket, with rubbish, or properly. */
export async function answerSend(
  platform: Platform,
  c: Context<SandboxEnv>,
  answer: Answer,
): Promise<Response> {
  const { send, fault, stored } = answer;
  const { connection } = c.env;
  if (fault.early_webhook && stored !== null) await tellEarly(platform, stored);
  await connection.wait(fault.latency_ms ?? platform.settings.latency_ms);
  if (fault.code !== undefined) throw refusal(fault.code, fault.status);
  if (fault.drop_before || fault.drop) return connection.drop();
  if (fault.hang) return await connection.hang();
  if (stored !== null) connection.onHandedOver(() => markAnswered(platform, stored));
  if (fault.http !== undefined) return new Response(fault.body ?? "", { status: fault.http });
  if (fault.invalid_json) {
    return new Response('{"messaging_product":"whatsapp","contacts":[{"inp', { status: 200 });
  }
  return c.json({
    messaging_product: "whatsapp",
    contacts: [{ input: send.body.to, wa_id: stored!.wa_id }],
    messages: [{ id: stored!.message.id, message_status: "accepted" }],
  });
}

function refusal(code: number, status: number | undefined): PlatformError {
  return new PlatformError(code, "Simulated by a fault", status === undefined ? {} : { status });
}

async function tellEarly(platform: Platform, stored: StoredMessage): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => timer = setTimeout(resolve, EARLY_WAIT_MS));
  await Promise.race([platform.delivery.startEarly(stored), limit]);
  clearTimeout(timer);
}

function markAnswered(platform: Platform, stored: StoredMessage): void {
  const at = new Date().toISOString();
  stored.message.answered_at = at;
  platform.counters.answered += 1;
  platform.journal.write({ t: "answered", id: stored.message.id, at });
}

import type { Context } from "hono";
import { findNumber, unknownObject } from "../accounts/accounts.ts";
import { PlatformError } from "../http/platform_error.ts";
import { parseStrictly, readJson } from "../http/read_body.ts";
import type { SandboxEnv } from "../http/sandbox_app.ts";
import type { Platform } from "../platform.ts";
import { acceptMessage } from "./accept_message.ts";
import { composeMessage } from "./compose_message.ts";
import type { StoredMessage } from "./message.ts";
import { findRecipient, responseContact } from "./recipient.ts";
import { MESSAGE_TYPES, type Send, type SendBody, sendBodySchema } from "./send.ts";
import type { Fault } from "./send_fault.ts";

/** The edge of a number to which a message is posted. */
export type SendEdge = "messages" | "marketing_messages";

/**
 * `POST /{phone_number_id}/messages` and `/marketing_messages`: checks a message, draws its faults, accepts it and responds.
 * Faults apply after the checks, so only sends that the platform would have accepted use them up. A refusing fault
 * applies before the limits and the ledger.
 */
export async function postMessages(
  platform: Platform,
  c: Context<SandboxEnv>,
  edge: SendEdge,
): Promise<Response> {
  const accounts = platform.accounts.authorize(c.req.header("Authorization"));
  const id = c.req.param("id")!;
  const sender = findNumber(accounts, id);
  if (sender === undefined) throw unknownObject(id);
  const value = await readJson(c);
  if (isReadReceipt(value)) return c.json({ success: true });
  const body = parseSendBody(value);
  checkEdge(edge, body);
  const send: Send = { ...sender, body, edge, person: findRecipient(platform.people, sender, body) };
  if (platform.bans.has(sender.account.wabaId)) {
    throw new PlatformError(131031, "The account has been locked");
  }
  const composed = composeMessage(platform, send);
  const { template } = composed;
  const fault = platform.faults.draw({
    to: send.person.number,
    phone_number_id: id,
    template: template?.name ?? "",
    category: template?.category ?? "",
    type: body.type,
  });
  if (Object.keys(fault).length > 0) {
    platform.events.publish({ kind: "faults", faults: platform.faults.list() });
  }
  if (!isAccepted(fault)) return await respondToSend(platform, c, { send, fault, stored: null });
  platform.limits.check(sender.number, send.person.number, Date.now());
  const stored = acceptMessage(platform, { send, ...composed, fault });
  return await respondToSend(platform, c, { send, fault, stored });
}

/** The marketing endpoint takes templates only, and its own fields belong to no other. */
function checkEdge(edge: SendEdge, body: SendBody): void {
  if (edge === "messages") {
    const field = (["product_policy", "message_activity_sharing"] as const).find((name) => name in body);
    if (field !== undefined) throw new PlatformError(100, `Unexpected key "${field}" on param "body"`);
  } else if (body.type !== "template") {
    throw new PlatformError(131009, "type: marketing_messages takes templates only");
  }
}

function isAccepted(fault: Fault): boolean {
  return fault.code === undefined && !fault.drop_before &&
    (fault.http === undefined || fault.accepted === true);
}

function parseSendBody(value: unknown): SendBody {
  const type = typeof value === "object" && value !== null ? Reflect.get(value, "type") : undefined;
  if (typeof type === "string" && !MESSAGE_TYPES.includes(type)) {
    throw new PlatformError(131051, `Message type ${type} is not supported here`);
  }
  return parseStrictly(sendBodySchema, value);
}

/** Marks a person's message as read, perhaps with a typing indicator; nothing is sent. */
function isReadReceipt(value: unknown): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, "status") === "read";
}

export interface SendResult {
  send: Send;
  fault: Fault;
  /** `null` when a fault kept the message from being accepted. */
  stored: StoredMessage | null;
}

/** The longest wait of a response for the webhook that is to come before it. */
const EARLY_WAIT_MS = 5000;

/** Responds to a send as its faults ask for: late, never, with a closed socket, with garbage, or properly. */
async function respondToSend(
  platform: Platform,
  c: Context<SandboxEnv>,
  result: SendResult,
): Promise<Response> {
  const { send, fault, stored } = result;
  const { connection } = c.env;
  if (fault.early_webhook && stored !== null) await deliverFirstWebhook(platform, stored);
  await connection.wait(fault.latency_ms ?? platform.settings.latency_ms);
  if (fault.code !== undefined) throw refusal(fault.code, fault.status);
  if (fault.drop_before || fault.drop) return connection.drop();
  if (fault.hang) return await connection.hang();
  if (stored !== null) connection.onResponseSent(() => markResponded(platform, stored));
  if (fault.http !== undefined) return new Response(fault.body ?? "", { status: fault.http });
  if (fault.invalid_json) {
    return new Response('{"messaging_product":"whatsapp","contacts":[{"inp', { status: 200 });
  }
  const { message, recipient } = stored!;
  return c.json({
    messaging_product: "whatsapp",
    contacts: [responseContact(send.body, recipient)],
    messages: [{
      id: message.id,
      ...(send.body.type === "template" && {
        message_status: fault.held_for_quality ? "held_for_quality_assessment" : "accepted",
      }),
    }],
  });
}

function refusal(code: number, status: number | undefined): PlatformError {
  return new PlatformError(code, "Simulated by a fault", status === undefined ? {} : { status });
}

async function deliverFirstWebhook(platform: Platform, stored: StoredMessage): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => timer = setTimeout(resolve, EARLY_WAIT_MS));
  await Promise.race([platform.delivery.startEarly(stored), limit]);
  clearTimeout(timer);
}

function markResponded(platform: Platform, stored: StoredMessage): void {
  const at = new Date().toISOString();
  stored.message.answered_at = at;
  platform.counters.answered += 1;
  platform.journal.write({ t: "responded", id: stored.message.id, at });
}

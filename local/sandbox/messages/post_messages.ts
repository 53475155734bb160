import type { Context } from "hono";
import { findNumber, unknownObject } from "../accounts.ts";
import type { Fault } from "../control/fault.ts";
import { parseStrictly } from "../errors/parse_strictly.ts";
import { PlatformError } from "../errors/platform_error.ts";
import type { SandboxEnv } from "../http/sandbox_app.ts";
import { readJson } from "../http/read_json.ts";
import type { SandboxNumber } from "../options.ts";
import type { Platform } from "../platform.ts";
import { acceptMessage } from "./accept_message.ts";
import { answerSend } from "./answer_send.ts";
import { composeMessage } from "./compose_message.ts";
import type { Send } from "./send.ts";
import { type SendBody, sendBodySchema } from "./send_body.ts";

/**
 * `POST /{phone_number_id}/messages` takes a template or a text message. Faults strike after the checks, so only sends
 * the platform would have taken use them up; those that refuse come before the limits and the ledger.
 */
export async function postMessages(platform: Platform, c: Context<SandboxEnv>): Promise<Response> {
  const accounts = platform.accounts.authorize(c.req.header("Authorization"));
  const id = c.req.param("id")!;
  const sender = findNumber(accounts, id);
  if (sender === undefined) throw unknownObject(id);
  const value = await readJson(c);
  if (isReadReceipt(value)) return c.json({ success: true });
  const body = parseSendBody(value);
  const send: Send = { ...sender, body, to: parseRecipient(body.to, sender.number) };
  if (platform.bans.has(sender.account.wabaId)) {
    throw new PlatformError(131031, "The account has been locked");
  }
  const composed = composeMessage(platform, send);
  const facts = { to: send.to, phone_number_id: id, template: composed.template?.name ?? "" };
  const fault = platform.faults.meet(facts);
  if (Object.keys(fault).length > 0) {
    platform.events.publish({ kind: "faults", faults: platform.faults.list() });
  }
  if (!takes(fault)) return await answerSend(platform, c, { send, fault, stored: null });
  platform.limits.check(sender.number, send.to, Date.now());
  const stored = acceptMessage(platform, { send, ...composed, fault });
  return await answerSend(platform, c, { send, fault, stored });
}

function takes(fault: Fault): boolean {
  return fault.code === undefined && !fault.drop_before &&
    (fault.http === undefined || fault.accepted === true);
}

function parseSendBody(value: unknown): SendBody {
  const type = typeof value === "object" && value !== null ? Reflect.get(value, "type") : undefined;
  if (typeof type === "string" && type !== "template" && type !== "text") {
    throw new PlatformError(131051, `Message type ${type} is not supported here`);
  }
  return parseStrictly(sendBodySchema, value);
}

/** Marks a person's message as read, perhaps with a typing indicator; nothing is sent. */
function isReadReceipt(value: unknown): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, "status") === "read";
}

/** Without "+" the platform takes a number with its country code as well, as its own samples do. */
function parseRecipient(to: string, sender: SandboxNumber): string {
  const bare = to.replace(/[-() ]/g, "");
  if (!/^\+?[1-9]\d{6,14}$/.test(bare)) {
    throw new PlatformError(131009, "to: must be a phone number with the country code, 7 to 15 digits");
  }
  const digits = bare.replace("+", "");
  if (digits === sender.displayNumber) {
    throw new PlatformError(131021, "The sender and the recipient are the same number");
  }
  return digits;
}

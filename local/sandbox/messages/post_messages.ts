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
import { findSendableTemplate } from "./find_sendable_template.ts";
import { renderMessage } from "./render_message.ts";
import type { Send } from "./send.ts";
import { type SendBody, sendBodySchema } from "./send_body.ts";

/**
 * `POST /{phone_number_id}/messages` takes a template message. Faults strike after the checks, so only sends
 * the platform would have taken use them up; those that refuse come before the limits and the ledger.
 */
export async function postMessages(platform: Platform, c: Context<SandboxEnv>): Promise<Response> {
  const accounts = platform.accounts.authorize(c.req.header("Authorization"));
  const id = c.req.param("id")!;
  const sender = findNumber(accounts, id);
  if (sender === undefined) throw unknownObject(id);
  const body = parseSendBody(await readJson(c));
  const send: Send = { ...sender, body, to: parseRecipient(body.to, sender.number) };
  const template = findSendableTemplate(platform.templates, sender.account.wabaId, body.template);
  const rendered = renderMessage(template, body.template.components ?? []);
  const facts = { to: send.to, phone_number_id: id, template: template.name };
  const fault = platform.faults.meet(facts);
  if (Object.keys(fault).length > 0) {
    platform.events.publish({ kind: "faults", faults: platform.faults.list() });
  }
  if (!takes(fault)) return await answerSend(platform, c, { send, fault, stored: null });
  platform.limits.check(sender.number, send.to, Date.now());
  const stored = acceptMessage(platform, { send, template, rendered, fault });
  return await answerSend(platform, c, { send, fault, stored });
}

function takes(fault: Fault): boolean {
  return fault.code === undefined && !fault.drop_before &&
    (fault.http === undefined || fault.accepted === true);
}

function parseSendBody(value: unknown): SendBody {
  const type = typeof value === "object" && value !== null ? Reflect.get(value, "type") : undefined;
  if (typeof type === "string" && type !== "template") {
    throw new PlatformError(131051, `Message type ${type} is not supported here`);
  }
  return parseStrictly(sendBodySchema, value);
}

/** The platform would put the sender's country code before a number without "+"; we refuse it instead. */
function parseRecipient(to: string, sender: SandboxNumber): string {
  const bare = to.replace(/[-() ]/g, "");
  if (!/^\+[1-9]\d{6,14}$/.test(bare)) {
    throw new PlatformError(131009, "to: must be a phone number with + and the country code, 7 to 15 digits");
  }
  const digits = bare.slice(1);
  if (digits === sender.displayNumber) {
    throw new PlatformError(131021, "The sender and the recipient are the same number");
  }
  return digits;
}

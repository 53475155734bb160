import { type Sealer, senderTokenOf } from "../../supabase/functions/_shared/crypto/seal.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  insertSender,
  type MarketingEndpoint,
  readSenders,
  type SenderRow,
  updateSenderSettings,
} from "../../supabase/functions/_shared/db/queue/senders.ts";
import { CommandError } from "../errors/command_error.ts";
import {
  refuseOnConstraint,
  refuseTestCompany,
  requireCompanies,
  requireOneLine,
} from "../errors/refusals.ts";

export type SenderChannel = "whatsapp" | "voice";

export interface SenderRequest {
  companyId: string;
  channel: SenderChannel;
  /** International format, 7 to 15 digits, no leading 0. */
  number: string;
  /** The platform's id of the number: `phone_number_id` on WhatsApp, `agent_phone_number_id` for calls. */
  platformId: string;
  /** The WhatsApp business account; needed on that channel. */
  wabaId?: string | undefined;
  /** The platform's access token or API key. Stored sealed, never shown again. */
  token?: string | undefined;
  /** Messages per second. Default 80. */
  ratePerSecond?: number | undefined;
  /** Voice: calls at a time. Default 20. */
  concurrency?: number | undefined;
  /** WhatsApp: where templates of category MARKETING go. Default `messages`. */
  marketingEndpoint?: MarketingEndpoint | undefined;
}

/**
 * Creates a sender: a number that a company's messages or calls leave from.
 *
 * @throws {CommandError} `bad_value`, `not_found`, or `already_exists` when the company has the number or the
 * platform's id on this channel
 */
export async function createSender(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  sender: SenderRequest,
): Promise<{ senderId: string }> {
  const { companyId, channel, number, platformId, wabaId, token, ratePerSecond = 80, concurrency = 20 } =
    sender;
  requireOneLine({ "platform's id": platformId, "business account's id": wabaId });
  if (channel !== "voice" && sender.concurrency !== undefined) {
    throw new CommandError("bad_value", "Only a voice sender takes --concurrency");
  }
  requireWhatsapp(channel, sender.marketingEndpoint);
  await refuseTestCompany(sql, companyId);
  const senderId = crypto.randomUUID();
  const tokenSealed = token ? await sealer.seal(token, senderTokenOf(companyId, senderId)) : null;
  const row = {
    companyId,
    senderId,
    channel,
    number,
    platformId,
    wabaId: wabaId || null,
    tokenSealed,
    ratePerSecond,
    concurrency,
    marketingEndpoint: sender.marketingEndpoint ?? "messages" as const,
  };
  await refuseOnConstraint(insertSender(sql, row, CLI), { companyId, channel, number, platformId });
  return { senderId };
}

function requireWhatsapp(channel: string, marketingEndpoint: MarketingEndpoint | undefined): void {
  if (channel === "whatsapp" || marketingEndpoint === undefined) return;
  throw new CommandError("bad_value", "Only a WhatsApp sender takes --marketing-endpoint");
}

export interface SenderChange {
  senderId: string;
  /** A new access token or API key of the platform. */
  token?: string | undefined;
  /** WhatsApp: where templates of category MARKETING go. */
  marketingEndpoint?: MarketingEndpoint | undefined;
}

/**
 * Changes the given settings of a sender; the others stay.
 *
 * @throws {CommandError} `not_found` or `bad_value`
 */
export async function updateSender(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { senderId, token, marketingEndpoint }: SenderChange,
): Promise<{ senderId: string; status: string }> {
  const [sender] = await readSenders(sql, { senderId });
  if (!sender) throw unknownSender(senderId);
  const { company_id: companyId, channel } = sender;
  requireWhatsapp(channel, marketingEndpoint);
  const tokenSealed = token ? await sealer.seal(token, senderTokenOf(companyId, senderId)) : null;
  const settings = {
    companyId,
    senderId,
    tokenSealed,
    ratePerSecond: null,
    concurrency: null,
    marketingEndpoint: marketingEndpoint ?? null,
    resume: false,
  };
  const row = await refuseOnConstraint(updateSenderSettings(sql, settings, CLI));
  if (!row) throw unknownSender(senderId);
  return { senderId, status: row.status };
}

/**
 * Returns the senders of one company, or of all; never their tokens.
 *
 * @throws {CommandError} `not_found`
 */
export async function listSenders(
  { sql }: { sql: Sql },
  { companyId }: { companyId?: string | undefined } = {},
): Promise<SenderRow[]> {
  if (companyId) await requireCompanies(sql, companyId);
  return await readSenders(sql, { companyId });
}

function unknownSender(senderId: string): CommandError {
  return new CommandError("not_found", `No sender with id ${senderId}`);
}

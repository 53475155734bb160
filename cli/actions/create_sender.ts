import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { senderTokenOf } from "../../supabase/functions/_shared/crypto/secret_owner.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { requireOneLine } from "./require_one_line.ts";
import { tooManyLines } from "./too_many_lines.ts";
import { refuseOnConstraint } from "./refuse_on_constraint.ts";
import { unknownCompany } from "./unknown_company.ts";

export type SenderChannel = "whatsapp" | "voice";

export interface NewSender {
  companyId: string;
  channel: SenderChannel;
  /** International format, 7 to 15 digits, no leading 0. */
  number: string;
  /** The platform's id of the number: `phone_number_id` on WhatsApp, `agent_phone_number_id` for calls. */
  providerId: string;
  /** The WhatsApp business account; needed on that channel. */
  wabaId?: string | undefined;
  /** The platform's access token or API key. Stored sealed, never shown again. */
  token?: string | undefined;
  /** Messages a second. Default 80. */
  ratePerSecond?: number | undefined;
  /** Voice: calls at a time. Default 20. */
  concurrency?: number | undefined;
}

/**
 * Makes a number that a company's messages or calls leave from.
 *
 * @throws {CommandError} `bad_value`, `not_found`, or `already_exists` when the company has the number or the
 * platform's id on this channel
 */
export async function createSender(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  sender: NewSender,
): Promise<{ senderId: string }> {
  const { companyId, channel, number, providerId, wabaId, token, ratePerSecond = 80, concurrency = 20 } =
    sender;
  requireOneLine({ "platform's id": providerId, "business account's id": wabaId });
  if (channel !== "voice" && sender.concurrency !== undefined) {
    throw new CommandError("bad_value", "Only a voice sender has a number of calls at a time");
  }
  const senderId = crypto.randomUUID();
  const sealed = token ? await sealer.seal(token, senderTokenOf(companyId, senderId)) : null;
  const already = (what: string) => () =>
    new CommandError("already_exists", `Company ${companyId} has a ${channel} sender with ${what} already`);
  await refuseOnConstraint(
    sql`
      insert into outbound.senders
        (company_id, id, channel, number, provider_id, waba_id, token_sealed, rate_per_second, concurrency)
      values (${companyId}, ${senderId}, ${channel}, ${number}, ${providerId}, ${wabaId || null}, ${sealed},
        ${ratePerSecond}, ${concurrency})`,
    {
      senders_number_check: () =>
        new CommandError("bad_value", "A sender's number has 7 to 15 digits, no + and no leading 0"),
      senders_concurrency_check: tooManyLines,
      senders_waba_check: () =>
        new CommandError("bad_value", "A whatsapp sender needs the id of its business account (waba id)"),
      senders_company_fkey: () => unknownCompany(companyId),
      senders_number_key: already(`number ${number}`),
      senders_provider_key: already(`provider id ${providerId}`),
    },
  );
  return { senderId };
}

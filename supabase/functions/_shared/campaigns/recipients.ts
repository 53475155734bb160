import type { PersonRow, RecipientRow } from "../db/campaigns/recipients.ts";
import { utcSeconds } from "../scheduling/due_time.ts";
import { csvLine } from "../values/csv_line.ts";
import { waitSentence } from "./wait_sentence.ts";

/** The state of the message to one recipient, as the API and the command line show it. Times are UTC. */
export interface Recipient {
  notification_id: string;
  /** Null where the recipient is known by a user id only, or was erased. */
  number: string | null;
  user_id: string | null;
  status: RecipientRow["status"];
  /** When it was accepted. */
  queued_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  failed_at: string | null;
  /** A rule kept it from leaving. */
  skipped_at: string | null;
  /** When the recipient first replied to it. */
  replied_at: string | null;
  attempts: number;
  /** The platform's code, or one of ours: docs/errors.md lists them. */
  code: string | null;
  /** Why it failed, or why it still waits, in plain words. */
  reason: string | null;
  /** Until when it waits, where that is known. */
  until: string | null;
  /** How a call went: answered, voicemail, busy, no_answer or failed; null for a chat message, and while it is unknown. */
  outcome: RecipientRow["outcome"];
  /** Seconds of talk. */
  duration_s: number | null;
  /** The client's own facts. */
  metadata: Record<string, unknown> | null;
  /** The notification by which it was resent. */
  resent_as: string | null;
  /** It is sent, but the platform holds it until it knows how people take its template. */
  held_for_quality: boolean;
}

/** The state of the message to one recipient of a campaign, with who that is. */
export interface CampaignRecipient extends Recipient {
  /** Of the contact with this address, where it is known. */
  name: string | null;
}

/** The state of one message to a person, with its campaign. */
export interface PersonRecipient extends Recipient {
  campaign_id: string;
  campaign_name: string;
  channel: PersonRow["channel"];
  notification_type: string;
  template_name: string | null;
}

/** The fields of a {@link CampaignRecipient} in the order of the columns of a table. */
const RECIPIENT_FIELDS = [
  "number",
  "status",
  "queued_at",
  "sent_at",
  "delivered_at",
  "read_at",
  "failed_at",
  "attempts",
  "code",
  "reason",
  "outcome",
  "duration_s",
  "user_id",
  "skipped_at",
  "replied_at",
  "notification_id",
  "metadata",
  "resent_as",
  "held_for_quality",
  "until",
  "name",
] as const satisfies (keyof CampaignRecipient)[];

export function describeRecipient(row: RecipientRow): Recipient {
  const at = (moment: Date | null) => moment && utcSeconds(moment);
  return {
    notification_id: row.id,
    number: row.number,
    user_id: row.user_id,
    status: row.status,
    queued_at: utcSeconds(row.queued_at),
    sent_at: at(row.sent_at),
    delivered_at: at(row.delivered_at),
    read_at: at(row.read_at),
    failed_at: at(row.failed_at),
    skipped_at: at(row.skipped_at),
    replied_at: at(row.replied_at),
    attempts: row.attempts,
    code: row.wait_code ?? row.error_code,
    reason: row.wait_code === null
      ? row.error_reason ?? stillOpen(row)
      : waitSentence(row.wait_code, { since: row.wait_since, detail: row.wait_detail }),
    until: at(row.waits_until),
    outcome: row.outcome,
    duration_s: row.duration_s,
    metadata: row.metadata,
    resent_as: row.resent_as,
    held_for_quality: row.held_for_quality ?? false,
  };
}

export function describeCampaignRecipient(row: RecipientRow): CampaignRecipient {
  return { ...describeRecipient(row), name: row.contact_name ?? null };
}

export function describePersonRecipient(row: PersonRow): PersonRecipient {
  const { campaign_id, campaign_name, channel, notification_type, template_name } = row;
  return { campaign_id, campaign_name, channel, notification_type, template_name, ...describeRecipient(row) };
}

function stillOpen({ status, held_for_quality }: RecipientRow): string | null {
  if (status === "unconfirmed") return "The platform has not said yet whether it took it";
  return held_for_quality ? "The platform holds it until it knows how people take the template" : null;
}

function recipientLine(recipient: CampaignRecipient, metadataKeys: string[]): string {
  const { metadata } = recipient;
  return csvLine([
    ...RECIPIENT_FIELDS.map((field) => cellOf(recipient[field])),
    ...metadataKeys.map((key) =>
      metadata !== null && Object.hasOwn(metadata, key) ? cellOf(metadata[key]) : null
    ),
  ]);
}

function cellOf(value: unknown): string | number | null {
  if (typeof value === "string" || typeof value === "number" || value === null) return value;
  return JSON.stringify(value);
}

/**
 * Yields a recipients file as CSV, page by page.
 *
 * @param metadataKeys the keys of metadata that get a column of their own, `metadata.<key>`
 */
export async function* recipientsFile(
  pages: AsyncIterable<RecipientRow[]>,
  metadataKeys: string[],
): AsyncGenerator<string> {
  let before = csvLine([...RECIPIENT_FIELDS, ...metadataKeys.map((key) => `metadata.${key}`)]);
  for await (const page of pages) {
    yield before + page.map((row) => recipientLine(describeCampaignRecipient(row), metadataKeys)).join("");
    before = "";
  }
  yield before;
}

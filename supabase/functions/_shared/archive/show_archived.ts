import type { ArchivedCampaign } from "../db/archive/archived_campaigns.ts";
import type { ArchivedRow } from "../db/archive/archived_rows.ts";
import type { TimelineRow } from "../db/people/timeline.ts";

/** Returns a row of a file as an export of the person shows it, with the fields that it has of a stored one. */
export function exportedRow(
  row: ArchivedRow,
  campaign: ArchivedCampaign | undefined,
): Record<string, unknown> {
  const call = row.call === null ? null : JSON.parse(row.call);
  return {
    notification_id: row.id,
    campaign_id: row.campaign_id,
    campaign_name: row.campaign_name,
    channel: row.channel,
    notification_type: row.notification_type,
    template: row.template_name,
    number: row.number,
    user_id: row.user_id,
    content: JSON.parse(row.message!),
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    status: row.status,
    attempts: row.attempt,
    created_at: isoTime(row.created_at),
    scheduled_time: campaign?.scheduled_time?.toISOString() ?? null,
    ...timesOf(row),
    code: row.error_code,
    reason: row.error_reason,
    call: call && {
      conversation_id: call.conversation_id,
      outcome: call.outcome,
      duration_s: call.duration_s,
      summary: call.summary,
      transcript: call.transcript,
      ended_at: utcTime(call.ended_at),
    },
  };
}

/** Returns a row of a file as an entry of the person's timeline (`outbound.describe_notification`). */
export function timelineRow(row: ArchivedRow, campaign: ArchivedCampaign | undefined): TimelineRow {
  const call = row.call === null ? null : JSON.parse(row.call);
  return {
    id: row.id!,
    at: timeOfId(row.id!),
    kind: "notification",
    entry: {
      campaign_id: row.campaign_id,
      campaign_name: row.campaign_name,
      channel: row.channel,
      address: row.number ?? row.user_id,
      status: row.status,
      code: row.error_code,
      reason: row.error_reason,
      ...timesOf(row),
      template_name: row.template_name,
      message: JSON.parse(row.message!),
      components: campaign?.components ?? null,
      attempts: attemptsOf(row),
      call: call && { outcome: call.outcome, duration_s: call.duration_s, summary: call.summary },
    },
  };
}

/** Returns when an id of ours was made, as the database writes it in a timeline. */
export function timeOfId(id: string): string {
  const ms = parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return new Date(ms).toISOString().replace("Z", "000Z");
}

function timesOf(row: ArchivedRow) {
  return {
    sent_at: isoTime(row.sent_at),
    delivered_at: isoTime(row.delivered_at),
    read_at: isoTime(row.read_at),
    replied_at: isoTime(row.replied_at),
    failed_at: isoTime(row.failed_at),
    skipped_at: isoTime(row.skipped_at),
  };
}

/** All tries. A first one by which it was sent is in the row itself (`outbound.delivery_history`). */
function attemptsOf(row: ArchivedRow) {
  const stored = (row.attempts === null ? [] : JSON.parse(row.attempts)).map((
    attempt: Record<string, unknown>,
  ) => ({
    started_at: utcTime(attempt.started_at as string),
    finished_at: utcTime(attempt.finished_at as string),
    outcome: attempt.outcome,
    code: attempt.error_code,
    reason: attempt.reason,
  }));
  if (row.fence !== 1 || row.sent_at === null || stored.length > 0) return stored;
  return [{
    started_at: isoTime(row.claimed_at),
    finished_at: isoTime(row.sent_at),
    outcome: "sent",
    code: row.error_code,
    reason: row.error_reason,
  }];
}

function isoTime(micros: string | null): string | null {
  return micros === null ? null : new Date(Number(micros) / 1000).toISOString();
}

/** Of a time in UTC without its zone. */
function utcTime(text: string | null): string | null {
  return text === null ? null : new Date(`${text}Z`).toISOString();
}

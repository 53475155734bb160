import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";

/** A campaign as operators see it. */
export interface CampaignRow {
  campaignId: string;
  companyId: string;
  campaignName: string;
  channel: string;
  notificationType: string;
  templateName: string | null;
  /** scheduled, sending, paused, completed or cancelled. */
  status: string;
  total: number;
  pending: number;
  processing: number;
  /** Delivered and read ones included. */
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  cancelled: number;
  /** Contacts of the request that were refused; not part of `total`. */
  rejected: number;
  createdAt: Date;
  scheduledTime: Date | null;
  startedAt: Date | null;
  completedAt: Date | null;
  /** Why nothing of it leaves: sender_stopped, template_not_approved or operator; null unless it is paused. */
  pausedReason: string | null;
  /** The same in words. */
  pausedDetail: string | null;
}

/** The columns of a {@link CampaignRow}, of `outbound.campaigns as g` and {@link campaignState}. */
export function campaignColumns(sql: Sql) {
  return sql`
    g.id as "campaignId", g.company_id as "companyId", g.name as "campaignName", g.channel,
    g.notification_type as "notificationType", g.template_name as "templateName",
    state.status, g.total, g.pending, g.processing, g.sent, g.delivered, g.read,
    g.failed, g.cancelled, g.rejected, g.created_at as "createdAt", g.scheduled_time as "scheduledTime",
    g.started_at as "startedAt", g.completed_at as "completedAt",
    state.paused_reason as "pausedReason", state.paused_detail as "pausedDetail"`;
}

/** What follows `outbound.campaigns as g`. */
export function campaignState(sql: Sql) {
  return sql`cross join lateral outbound.campaign_state(g) as state`;
}

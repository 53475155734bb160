import type { Sql } from "../db/connect.ts";
import { foreseeMarketing, type MarketingOutlook } from "../db/frequency_caps.ts";
import { readBillingCurrency } from "../db/companies.ts";
import { readSendingRules } from "../db/sending_rules.ts";
import { localDay, type Postponement, postponementOf } from "../dispatching/hours_and_caps.ts";
import { estimateCost } from "../pricing/estimate.ts";
import { utcSeconds } from "../scheduling/due_time.ts";
import { countriesOf } from "../scheduling/recipient_places.ts";
import { appliesTo, readFrequencyCaps } from "../scheduling/sending_rules.ts";
import { type ContactFailure, contactIndexes, type PreparedNotification } from "./batch.ts";
import {
  DRY_RUN_STATUSES,
  type DryRunRecipient,
  type DryRunResponse,
  NOT_CHECKED,
} from "./dry_run_response.ts";
import { repetitions } from "./likely_mistakes.ts";
import type { NotificationRequest } from "./notification_request.ts";
import type { TriedPlan } from "./try_campaign.ts";
import { shownWarnings } from "./warnings.ts";

interface Trial {
  companyId: string;
  channel: { name: "whatsapp" | "voice" };
  request: Pick<NotificationRequest, "notification_type" | "timezone">;
  plan: TriedPlan;
  now: Date;
}

/** Describes what would become of each contact of a request that was tried. Reads; stores nothing. */
export async function describeDryRun(sql: Sql, trial: Trial): Promise<DryRunResponse> {
  const { plan, companyId, now } = trial;
  const fates = await foresee(sql, trial);
  const leaving = fates.filter(({ status }) => status !== "skipped");
  const { total: cost, costs } = await estimateCost(
    sql,
    leaving.map(({ country, category, leavesAt }) => ({
      country,
      category,
      messages: 1,
      day: (leavesAt ?? now).toISOString().slice(0, 10),
    })),
    await readBillingCurrency(sql, companyId),
  );
  const recipients = [
    ...plan.batch.failures.map(refused),
    ...fates.map((fate) => accepted(fate, costs[leaving.indexOf(fate)] ?? null)),
  ].sort((a, b) => a.index - b.index);
  return {
    success: true,
    dry_run: true,
    total: recipients.length,
    ...countsOf(recipients),
    recipients,
    ...cost,
    not_checked: [...NOT_CHECKED],
    ...shownWarnings(plan.batch.warnings),
  };
}

function countsOf(recipients: DryRunRecipient[]) {
  const count = (status: DryRunRecipient["status"]) =>
    recipients.filter((recipient) => recipient.status === status).length;
  return Object.fromEntries(DRY_RUN_STATUSES.map((status) => [status, count(status)])) as Record<
    DryRunRecipient["status"],
    number
  >;
}

/** A message that is accepted, and how it would go on. */
interface Fate
  extends Pick<DryRunRecipient, "index" | "status" | "code" | "reason" | "country" | "category"> {
  notification: PreparedNotification;
  rendered: DryRunRecipient["rendered"];
  /** Null: at once. */
  leavesAt: Date | null;
}

async function foresee(sql: Sql, trial: Trial): Promise<Fate[]> {
  const { plan, companyId, channel: { name: channel }, request, now } = trial;
  const { batch: { notifications }, due, category, render } = plan;
  if (notifications.length === 0) return [];
  const isMarketing = request.notification_type === "marketing" || category === "marketing";
  const rules = await readSendingRules(sql, companyId);
  const timezone = request.timezone ?? null;
  const caps = (readFrequencyCaps(rules?.frequency_caps ?? []) ?? [])
    .filter((cap) => appliesTo({ ...cap, category: "marketing" }, { channel, isMarketing }));
  const outlooks = isMarketing
    ? await foreseeMarketing(sql, {
      companyId,
      channel,
      caps,
      recipients: notifications.map(({ number, user_id }) => ({
        number,
        user_id,
        day: localDay({ number, user_id, timezone }, due ?? now),
      })),
    })
    : [];
  const repeated = new Map(repetitions(plan.batch).map(({ position, first }) => [position, first]));
  const indexes = contactIndexes(plan.batch);
  return await Promise.all(notifications.map(async (notification, position) => {
    const { id, number, user_id } = notification;
    const subject = {
      company_id: companyId,
      id,
      number,
      user_id,
      channel,
      is_marketing: isMarketing,
      timezone,
    };
    const postponement = await postponementOf({ ...subject, ...rulesOf(rules) }, due ?? now);
    const first = repeated.get(position);
    const countries = countriesOf(notification);
    return {
      index: indexes[position]!,
      ...verdictOn({ outlook: outlooks[position], postponement, due, now }),
      ...(first !== undefined && !outlooks[position]?.is_over && {
        status: "duplicate" as const,
        code: "duplicate_recipient" as const,
        reason: `The same recipient as contact ${indexes[first]}, who gets both`,
      }),
      notification,
      rendered: render?.(notification.message) ?? null,
      country: countries.length === 1 ? countries[0]! : null,
      category,
    };
  }));
}

function rulesOf(rules: Awaited<ReturnType<typeof readSendingRules>>) {
  return { sending_hours: rules?.sending_hours ?? [], frequency_caps: rules?.frequency_caps ?? [] };
}

/** Returns what the rules at the time of sending would make of a message. */
function verdictOn(
  { outlook, postponement, due, now }: {
    outlook: MarketingOutlook | undefined;
    postponement: Postponement | null;
    due: Date | null;
    now: Date;
  },
): Pick<Fate, "status" | "code" | "reason" | "leavesAt"> {
  if (outlook?.is_over) {
    const reason = "The recipient was sent as many marketing messages as the company allows";
    return { status: "skipped", code: "frequency_cap", reason, leavesAt: null };
  }
  const rests = outlook?.rests_until ?? null;
  if (rests !== null && rests > (due ?? now) && rests > (postponement?.until ?? now)) {
    const reason = "The platform spares the recipient more marketing until then";
    return { status: "held", code: "marketing_rest", reason, leavesAt: rests };
  }
  if (postponement !== null) {
    const { until, code, reason } = postponement;
    return { status: "held", code, reason, leavesAt: until };
  }
  return { status: "ok", code: null, reason: null, leavesAt: due };
}

function accepted({ notification, leavesAt, ...fate }: Fate, estimatedCost: string | null): DryRunRecipient {
  const { number, user_id } = notification;
  return {
    ...fate,
    number,
    user_id,
    scheduled_time: leavesAt && utcSeconds(leavesAt),
    estimated_cost: estimatedCost,
  };
}

function refused({ index, contact, code, reason }: ContactFailure): DryRunRecipient {
  const { number, user_id } = (contact ?? {}) as { number?: unknown; user_id?: unknown };
  const isUnwanted = code === "recipient_opted_out" || code === "consent_missing";
  return {
    index,
    number: typeof number === "string" ? number : null,
    user_id: typeof user_id === "string" ? user_id : null,
    status: isUnwanted ? "skipped" : "invalid",
    code,
    reason,
    rendered: null,
    scheduled_time: null,
    country: null,
    category: null,
    estimated_cost: null,
  };
}

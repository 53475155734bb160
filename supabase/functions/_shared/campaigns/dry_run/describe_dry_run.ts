import type { Sql } from "../../db/driver/connect.ts";
import { readBillingCurrency } from "../../db/access/companies.ts";
import { estimateCost } from "../../pricing/estimate.ts";
import { utcSeconds } from "../../scheduling/due_time.ts";
import { countriesOf } from "../../scheduling/recipient_places.ts";
import { type ContactFailure, contactIndexes, type PreparedNotification } from "../batch.ts";
import {
  DRY_RUN_STATUSES,
  type DryRunRecipient,
  type DryRunResponse,
  NOT_CHECKED,
} from "./dry_run_response.ts";
import { repetitions } from "../likely_mistakes.ts";
import type { DryRunPlan } from "./dry_run_campaign.ts";
import { shownWarnings } from "../warnings.ts";

interface DryRun {
  companyId: string;
  plan: DryRunPlan;
  now: Date;
}

/** Describes what would become of each contact of a request from its dry run. Reads; stores nothing. */
export async function describeDryRun(
  sql: Sql,
  { plan, companyId, now }: DryRun,
): Promise<DryRunResponse> {
  const outcomes = outcomesOf(plan);
  const leaving = outcomes.filter(({ status }) => status !== "skipped");
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
    ...outcomes.map((outcome) => accepted(outcome, costs[leaving.indexOf(outcome)] ?? null)),
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
interface Outcome
  extends Pick<DryRunRecipient, "index" | "status" | "code" | "reason" | "country" | "category"> {
  notification: PreparedNotification;
  rendered: DryRunRecipient["rendered"];
  /** Null: at once. */
  leavesAt: Date | null;
}

function outcomesOf({ batch, due, category, render, previews = [] }: DryRunPlan): Outcome[] {
  const repeated = new Map(repetitions(batch).map(({ position, first }) => [position, first]));
  const indexes = contactIndexes(batch);
  return batch.notifications.map((notification, position) => {
    const preview = previews[position] ?? { status: "ok", code: null, reason: null, leavesAt: due };
    const first = repeated.get(position);
    const countries = countriesOf(notification);
    return {
      index: indexes[position]!,
      ...preview,
      ...(first !== undefined && preview.status !== "skipped" && {
        status: "duplicate" as const,
        code: "duplicate_recipient" as const,
        reason: `The same recipient as contact ${indexes[first]}, who gets both`,
      }),
      notification,
      rendered: render?.(notification.message) ?? null,
      country: countries.length === 1 ? countries[0]! : null,
      category,
    };
  });
}

function accepted(
  { notification, leavesAt, ...outcome }: Outcome,
  estimatedCost: string | null,
): DryRunRecipient {
  const { number, user_id } = notification;
  return {
    ...outcome,
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

import type { Sql } from "../../db/driver/connect.ts";
import { readBillingCurrency } from "../../db/access/companies.ts";
import { estimateCost } from "../../pricing/estimate.ts";
import { utcSeconds } from "../../scheduling/due_time.ts";
import { readKnownPeople } from "../../db/contacts/known_people.ts";
import { countriesOf } from "../../scheduling/recipient_places.ts";
import { type ContactFailure, contactIndexes, type PreparedNotification } from "../batch.ts";
import {
  DRY_RUN_STATUSES,
  type DryRunRecipient,
  type DryRunResponse,
  NOT_CHECKED,
} from "./dry_run_response.ts";
import { type AudienceMember, countRecipients } from "./audience.ts";
import { repetitions } from "../likely_mistakes.ts";
import type { DryRunPlan } from "./dry_run_campaign.ts";
import { shownWarnings } from "../warnings.ts";

interface DryRun {
  companyId: string;
  plan: DryRunPlan;
  now: Date;
  /** Of the request, as it gives them. */
  contacts: unknown[];
}

/** Describes what would become of each contact of a request from its dry run. Reads; stores nothing. */
export async function describeDryRun(
  sql: Sql,
  dryRun: DryRun,
): Promise<DryRunResponse> {
  const { plan, companyId, now } = dryRun;
  const outcomes = outcomesOf(plan);
  const languages = await readLanguages(sql, dryRun);
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
    ...countRecipients(leaving.map(memberOf(languages)), plan.sender),
    ...cost,
    not_checked: [...NOT_CHECKED],
    ...shownWarnings(plan.batch.warnings),
  };
}

const LANGUAGE = /^[a-z]{2,3}([_-][A-Za-z0-9]{2,4})?$/;

/** Returns what the recipients speak, by their contact's index: what the contact says, or what the company has stored. */
async function readLanguages(
  sql: Sql,
  { companyId, contacts, plan: { batch } }: DryRun,
): Promise<(index: number) => string | null> {
  const addresses = batch.notifications.map(({ number, user_id }) => number ?? user_id!);
  const people = await readKnownPeople(sql, companyId, addresses);
  const stored = new Map(people.map(({ address, language }) => [address, language]));
  const byIndex = new Map(contactIndexes(batch).map((index, position) => [index, addresses[position]!]));
  return (index) => {
    const { language } = (contacts[index] ?? {}) as { language?: unknown };
    return typeof language === "string" && LANGUAGE.test(language)
      ? language.replace("-", "_")
      : stored.get(byIndex.get(index)!) ?? null;
  };
}

function memberOf(languageOf: (index: number) => string | null): (outcome: Outcome) => AudienceMember {
  return ({ index, notification, country, leavesAt }) => ({
    country,
    language: languageOf(index),
    timezone: notification.zone?.timezone ?? null,
    leavesAt,
  });
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
    const leavesAt = notification.run_at ?? due;
    const preview = previews[position] ?? { status: "ok", code: null, reason: null, leavesAt };
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
  const { number, user_id, zone } = notification;
  return {
    ...outcome,
    number,
    user_id,
    scheduled_time: leavesAt && utcSeconds(leavesAt),
    timezone: zone?.timezone ?? null,
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
    timezone: null,
    country: null,
    category: null,
    estimated_cost: null,
  };
}

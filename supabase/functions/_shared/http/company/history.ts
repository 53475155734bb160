import { z } from "@hono/zod-openapi";
import {
  HISTORY_COUNTS,
  HISTORY_KEYS,
  HISTORY_STEPS,
  type HistoryCounts,
  type HistoryQuery,
  type HistoryRow,
  readHistory,
} from "../../db/campaigns/history.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { AppError, badFormat } from "../../errors.ts";
import { addAmounts, estimateFields } from "../../pricing/estimate.ts";
import { historyCost } from "../../pricing/history_cost.ts";
import { dueTime, utcSeconds } from "../../scheduling/due_time.ts";
import { countryOfDigits } from "../../values/country_of.ts";
import { csvLine } from "../../values/csv_line.ts";
import { zonedTime } from "../../values/zoned_time.ts";
import type { Filters } from "../app/list_page.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** `outbound.history_hours_kept()`. */
const HOURS_KEPT_DAYS = 35;
/** `outbound.history_kept()`, and a few days more, so that a range of 13 whole months fits. */
const MAX_DAYS = 400;

const TIME_FORM = "a day such as 2026-12-01, or a time with its zone such as 2026-12-01T09:00:00Z";
const time = z.union([z.iso.date(), zonedTime(TIME_FORM)], { error: TIME_FORM }).openapi({ type: "string" });

/** The part of the history that is asked for, and the key and the step of its rows. */
export const historyFilters = {
  by: z.enum(HISTORY_KEYS, { error: `one of ${HISTORY_KEYS.join(", ")}` }).default("company").openapi({
    description: "One row per step and …; `reason`: what failed or was skipped, by code",
  }),
  from: time.optional().openapi({
    description: `${TIME_FORM}. Days are those of \`timezone\`. ${DEFAULT_DAYS} days ago if left out`,
    example: "2026-12-01",
  }),
  to: time.optional().openapi({ description: "Exclusive; now if left out", example: "2027-01-01" }),
  step: z.enum(HISTORY_STEPS, { error: "hour or day" }).default("day").openapi({
    description: `Hours are kept for ${HOURS_KEPT_DAYS} days, then days in UTC for 13 months`,
  }),
  timezone: z.string().max(100).default("UTC").openapi({
    description: "IANA timezone name, whose days and hours count",
    example: "Europe/Madrid",
  }),
  campaign_id: z.guid({ error: "the id of a campaign" }).optional().openapi({
    description: "Only this campaign",
  }),
  template_id: z.guid({ error: "the id of a template" }).optional().openapi({
    description: "Only this template",
  }),
  sender_id: z.guid({ error: "the id of a sender" }).optional().openapi({ description: "Only this sender" }),
};

const count = z.number().int();

const rowSchema = z.object({
  start: z.iso.datetime().openapi({ description: "When the step begins" }),
  key: z.string().nullable().openapi({
    description:
      "An id, a country by ISO 3166-1, a code or a channel. Null: campaigns of one message, or what has none",
  }),
  name: z.string().nullable().openapi({ description: "Of what `key` is the id; of a sender its number" }),
  accepted: count,
  sent: count.openapi({
    description: "Taken by the platform and not failed; delivered and read are parts of it",
  }),
  delivered: count,
  read: count,
  replied: count,
  failed: count,
  skipped: count,
  cancelled: count,
  opted_out: count.openapi({ description: "People who opted out; of no campaign, template or sender" }),
  read_rate: z.number().nullable().openapi({
    description: "read / delivered; null where nothing was delivered",
  }),
  cost: z.string().nullable().openapi({
    description: "An estimate by the operator's rate card; null without one",
  }),
  currency: z.string().nullable(),
}).openapi("HistoryRow");

/** A part of a company's history. A step and key of which nothing is counted has no row. */
export const historySchema = z.object({
  by: z.enum(HISTORY_KEYS),
  step: z.enum(HISTORY_STEPS),
  timezone: z.string(),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  complete_until: z.iso.datetime().openapi({
    description: "Everything that happened before is counted; usually a few seconds ago",
  }),
  rows: z.array(rowSchema),
  ...estimateFields,
}).openapi("History");

type ShownHistory = z.input<typeof historySchema>;

/** For the API document. */
export const HISTORY_EXAMPLE: ShownHistory = {
  by: "country",
  step: "day",
  timezone: "Europe/Madrid",
  from: "2026-11-30T23:00:00Z",
  to: "2026-12-01T23:00:00Z",
  complete_until: "2026-12-01T18:00:00Z",
  rows: [{
    start: "2026-11-30T23:00:00Z",
    key: "ES",
    name: null,
    accepted: 100,
    sent: 96,
    delivered: 90,
    read: 45,
    replied: 4,
    failed: 3,
    skipped: 1,
    cancelled: 0,
    opted_out: 1,
    read_rate: 0.5,
    cost: "5.535",
    currency: "USD",
  }],
  estimated_cost: { amount: "5.535", currency: "USD", complete: true },
};

/** The database returns a row for each price of a step and key. */
const PRICES_PER_ROW = 20;

/** Returns a company's history. Throws `validation_failed` for more than `maxRows` rows, and for what is no longer kept. */
export async function showHistory(
  sql: Sql,
  { companyId, filters, now, maxRows }: {
    companyId: string;
    filters: Filters<typeof historyFilters>;
    now: Date;
    maxRows: number;
  },
): Promise<ShownHistory> {
  const query = { companyId, ...rangeOf(filters, now), ...queryOf(filters) };
  const limit = maxRows * PRICES_PER_ROW;
  const { rows, until } = await readHistory(sql, query, limit + 1);
  const { total, costs } = await historyCost(sql, companyId, rows);
  const shown = mergeRows(rows, query.by, { costs, currency: total.estimated_cost?.currency ?? null });
  if (rows.length > limit || shown.length > maxRows) throw tooManyRows(maxRows);
  return {
    by: query.by,
    step: query.step,
    timezone: query.timezone,
    from: utcSeconds(query.from),
    to: utcSeconds(query.to),
    complete_until: utcSeconds(until),
    rows: shown,
    ...total,
  };
}

function queryOf(
  { by, step, timezone, campaign_id, template_id, sender_id }: Filters<typeof historyFilters>,
) {
  return { by, step, timezone, campaignId: campaign_id, templateId: template_id, senderId: sender_id };
}

function rangeOf(
  { from, to, step, timezone }: Filters<typeof historyFilters>,
  now: Date,
): Pick<HistoryQuery, "from" | "to"> {
  // Checks the zone, too.
  const instant = (text: string) =>
    /T/.test(text) ? new Date(text) : dueTime(`${text}T00:00:00`, timezone, null)!;
  dueTime(undefined, timezone, null);
  const end = to === undefined ? now : instant(to);
  const start = from === undefined ? new Date(now.getTime() - DEFAULT_DAYS * DAY_MS) : instant(from);
  const days = (end.getTime() - start.getTime()) / DAY_MS;
  if (days <= 0) throw badFormat("to", to, "a time after `from`");
  if (days > MAX_DAYS) throw badFormat("from", from, `at most ${MAX_DAYS} days before \`to\``);
  if (step === "hour" && start.getTime() < now.getTime() - HOURS_KEPT_DAYS * DAY_MS) {
    throw badFormat(
      "from",
      from,
      `at most ${HOURS_KEPT_DAYS} days ago where step is hour: later there are days only`,
    );
  }
  return { from: start, to: end };
}

function tooManyRows(maxRows: number): AppError {
  const message = `The history has more than ${maxRows.toLocaleString("en")} rows there`;
  return new AppError(
    "validation_failed",
    `${message}: ask for a shorter time, for days, or for one campaign or sender`,
    {
      details: { field: "from", expected_format: `a range of at most ${maxRows} rows` },
    },
  );
}

type ShownRow = z.input<typeof rowSchema>;

/** Brings the rows of one step and key together, in their order. */
function mergeRows(
  rows: HistoryRow[],
  by: HistoryQuery["by"],
  { costs, currency }: { costs: (string | null)[]; currency: string | null },
): ShownRow[] {
  const merged = new Map<string, ShownRow>();
  rows.forEach((row, index) => {
    const start = utcSeconds(row.start);
    const key = by === "country" ? countryKey(row.key) : row.key;
    const id = `${start} ${key}`;
    const known = merged.get(id) ??
      { start, key, name: row.name, ...noCounts(), read_rate: null, cost: currency && "0", currency };
    for (const name of HISTORY_COUNTS) known[name] += row[name];
    if (known.cost !== null) known.cost = addAmounts(known.cost!, costs[index] ?? "0");
    known.read_rate = known.delivered > 0 ? Math.round(known.read / known.delivered * 10_000) / 10_000 : null;
    merged.set(id, known);
  });
  return [...merged.values()]
    .filter((row) => HISTORY_COUNTS.some((name) => row[name] !== 0) || (row.cost ?? "0") !== "0")
    // Several areas have one country, so the order of the rows is not that of their keys.
    .sort((a, b) => compare(a.start, b.start) || compare(a.key ?? LAST, b.key ?? LAST));
}

/** Behind all other keys. */
const LAST = "\uffff";

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function noCounts(): HistoryCounts {
  return Object.fromEntries(HISTORY_COUNTS.map((name) => [name, 0])) as HistoryCounts;
}

/** Messages are counted by the digits with which the number begins; prices by the country. */
function countryKey(country: string | null): string | null {
  return (country?.startsWith("+") ? countryOfDigits(country.slice(1)) : country) || null;
}

const CSV_FIELDS = ["start", "key", "name", ...HISTORY_COUNTS, "read_rate", "cost", "currency"] as const;

/** Returns a history as CSV, one row per line, with a header line. */
export function historyCsv({ rows }: ShownHistory): string {
  return csvLine(CSV_FIELDS) + rows.map((row) => csvLine(CSV_FIELDS.map((field) => row[field]))).join("");
}

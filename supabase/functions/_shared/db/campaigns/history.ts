import type { Sql } from "../driver/connect.ts";

/** Each of these can be the key of the rows of the history. */
export const HISTORY_KEYS = [
  "company",
  "campaign",
  "template",
  "sender",
  "country",
  "reason",
  "channel",
] as const;

/** The length of the time that one row of the history covers. */
export const HISTORY_STEPS = ["hour", "day"] as const;

/** The counts of the history: of notifications, and of people who opted out. */
export const HISTORY_COUNTS = [
  "accepted",
  "sent",
  "delivered",
  "read",
  "replied",
  "failed",
  "skipped",
  "cancelled",
  "opted_out",
] as const;

/** One number for each of `HISTORY_COUNTS`. */
export type HistoryCounts = Record<typeof HISTORY_COUNTS[number], number>;

/** The counts of one step and key, or those of it that the platform priced in one way; see `outbound.read_history`. */
export interface HistoryRow extends HistoryCounts {
  start: Date;
  key: string | null;
  name: string | null;
  /** Null where nothing was priced; then `country` and `day` are null, too. */
  category: string | null;
  country: string | null;
  day: string | null;
  /** Messages that the platform charges for. */
  priced: number;
}

/** The part of a company's history to read. An undefined id is no filter. */
export interface HistoryQuery {
  companyId: string;
  by: typeof HISTORY_KEYS[number];
  from: Date;
  /** Exclusive. */
  to: Date;
  step: typeof HISTORY_STEPS[number];
  timezone: string;
  campaignId: string | undefined;
  templateId: string | undefined;
  senderId: string | undefined;
}

/** Returns a company's history, at most `limit` rows, and until when it is complete. */
export async function readHistory(
  sql: Sql,
  { companyId, by, from, to, step, timezone, campaignId, templateId, senderId }: HistoryQuery,
  limit: number,
): Promise<{ rows: HistoryRow[]; until: Date }> {
  // First: what is folded meanwhile is in the rows.
  const [state] = await sql<{ until: Date }[]>`select outbound.history_until() as until`;
  const rows = await sql<HistoryRow[]>`
    select * from outbound.read_history(${companyId}, ${by}, ${from}, ${to}, ${step}, ${timezone}, ${
    campaignId ?? null
  }, ${templateId ?? null}, ${senderId ?? null}, ${limit})`;
  return { rows: [...rows], until: state!.until };
}

/** Adds what happened since to the history. One caller at a time works, the others return at once. */
export async function foldHistory(sql: Sql): Promise<void> {
  while (true) {
    const [row] = await sql<{ more: boolean }[]>`select outbound.fold_history() as more`;
    if (!row!.more) return;
  }
}

/** A sender's quality and limit, as the platform changed them. */
export interface SenderChangeRow {
  id: string;
  at: Date;
  quality: string | null;
  messaging_limit: string | null;
}

/** Returns a page of the changes of a sender, newest first. */
export async function readSenderChanges(
  sql: Sql,
  { companyId, senderId, after, limit }: {
    companyId: string;
    senderId: string;
    after?: string | undefined;
    limit: number;
  },
): Promise<SenderChangeRow[]> {
  return [
    ...await sql<SenderChangeRow[]>`
      select s.id, s.at, s.quality, s.messaging_limit from outbound.sender_history as s
      where s.company_id = ${companyId} and s.sender_id = ${senderId} ${
      after
        ? sql`and (s.at, s.id) < (
          select a.at, a.id from outbound.sender_history as a where a.company_id = ${companyId} and a.id = ${after}
        )`
        : sql``
    }
      order by s.at desc, s.id desc limit ${limit}`,
  ];
}

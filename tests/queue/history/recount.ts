import type postgres from "postgres";

/** A figure of the history, by `hour campaign template sender channel area reason metric`. */
export type Figures = Record<string, number>;

const NONE = "00000000-0000-0000-0000-000000000000";

const METRICS = [
  ...["accepted", "sent", "delivered", "read", "replied", "failed", "skipped", "cancelled", "priced"],
  "opted_out",
];

interface Fact {
  campaign_id: string;
  area: string;
  status: string | null;
  error_code: string | null;
  created_at: Date;
  sent_at: Date;
  delivered_at: Date;
  read_at: Date;
  failed_at: Date;
  skipped_at: Date;
  cancelled_at: Date;
  replied_at: Date | null;
  template_id: string | null;
  sender_id: string;
  channel: string;
  is_single: boolean;
}

/** Counts a company's notifications one by one, without what the platform priced: that is nowhere else by hour. */
export async function recount(sql: postgres.Sql, companyId: string): Promise<Figures> {
  const figures: Figures = {};
  const facts = await sql<Fact[]>`
    select n.campaign_id, n.area, n.status, n.error_code, n.created_at, n.sent_at, n.delivered_at, n.read_at,
      n.failed_at, n.skipped_at, n.cancelled_at, n.replied_at, g.template_id, g.sender_id, g.channel,
      not exists (
        select from outbound.bulk_campaigns as b where b.company_id = g.company_id and b.campaign_id = g.id
      ) as is_single
    from outbound.notification_facts as n
    join outbound.campaigns as g on g.company_id = n.company_id and g.id = n.campaign_id
    where n.company_id = ${companyId}`;
  for (const fact of facts) {
    for (const [metric, at, reason] of eventsOf(fact)) {
      const hour = new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000).toISOString();
      const campaign = fact.is_single ? NONE : fact.campaign_id;
      const { template_id, sender_id, channel, area } = fact;
      const key = [hour, campaign, template_id ?? NONE, sender_id, channel, area, reason, metric].join(" ");
      figures[key] = (figures[key] ?? 0) + 1;
    }
  }
  return figures;
}

function* eventsOf(fact: Fact): Iterable<[metric: string, at: Date, reason: string]> {
  const { status } = fact;
  yield ["accepted", fact.created_at, ""];
  if (["sent", "delivered", "read"].includes(status!)) yield ["sent", fact.sent_at, ""];
  if (["delivered", "read"].includes(status!)) yield ["delivered", fact.delivered_at, ""];
  if (status === "read") yield ["read", fact.read_at, ""];
  if (status === "failed") yield ["failed", fact.failed_at, fact.error_code ?? "unknown"];
  if (status === "skipped") yield ["skipped", fact.skipped_at, fact.error_code ?? "unknown"];
  if (status === "cancelled") yield ["cancelled", fact.cancelled_at, ""];
  if (fact.replied_at !== null) yield ["replied", fact.replied_at, ""];
}

/** Returns a company's history, with the metrics that are not 0. */
export async function historyOf(sql: postgres.Sql, companyId: string): Promise<Figures> {
  const rows = await sql`select * from outbound.history where company_id = ${companyId}`;
  return Object.fromEntries(
    rows.flatMap((row) =>
      METRICS.filter((metric) => row[metric] !== 0).map((metric) => [
        [
          row.hour.toISOString(),
          ...[row.campaign_id, row.template_id, row.sender_id, row.channel, row.area, row.reason, metric],
        ].join(" "),
        row[metric] as number,
      ])
    ),
  );
}

/** Folds all that waits, so many changes at a time. */
export async function foldAll(sql: postgres.ISql, limit = 1000): Promise<void> {
  while (true) {
    const [row] = await sql`select outbound.fold_history(${limit}) as more`;
    if (!row!.more) return;
  }
}

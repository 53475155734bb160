import type { Sql } from "./connect.ts";

/** A business account of a company. */
export interface Account {
  company_id: string;
  waba_id: string;
}

/**
 * Begins a probe of our own webhook. Returns the nonce that the probe has to carry, or null when none is due: any process
 * began one less than `everyMs` ago, or no message is unconfirmed and the last probe is less than an hour old (a minute
 * after one that failed).
 */
export async function beginWebhookProbe(sql: Sql, { everyMs }: { everyMs: number }): Promise<string | null> {
  const [row] = await sql<{ nonce: string | null }[]>`
    select outbound.begin_webhook_probe(make_interval(secs => ${everyMs / 1000})) as nonce`;
  return row!.nonce;
}

/** For the webhook: a probe came back. Without effect unless it was begun last, and on this database. */
export async function confirmWebhookProbe(sql: Sql, nonce: string): Promise<void> {
  await sql`select outbound.confirm_webhook_probe(${nonce})`;
}

/** Ends a probe: returns whether it came back in time; null when another was begun since. */
export async function endWebhookProbe(sql: Sql, nonce: string): Promise<boolean | null> {
  const [row] = await sql<{ came_back: boolean | null }[]>`
    select outbound.end_webhook_probe(${nonce}) as came_back`;
  return row!.came_back;
}

/**
 * Notes that the signature of a report about these notifications was refused. Returns the accounts whose notifications
 * they are; none for ids that are not ours.
 */
export async function noteRefusedEvents(
  sql: Sql,
  notifications: { companyId: string; notificationId: string }[],
): Promise<Account[]> {
  return [
    ...await sql<Account[]>`
      select company_id, waba_id from outbound.note_refused_events(
        ${notifications.map(({ companyId }) => companyId)}::uuid[],
        ${notifications.map(({ notificationId }) => notificationId)}::uuid[]
      )`,
  ];
}

import { jsonParameter, type Sql } from "./connect.ts";

/** A company's business account at the messaging platform, with a token that opens it. */
export interface TemplateAccount {
  companyId: string;
  wabaId: string;
  /** Whose token it is. */
  senderId: string;
  tokenSealed: string | null;
}

/** Field names are those of `outbound.sync_templates`. */
export interface SyncedTemplateRow {
  provider_template_id: string | null;
  name: string;
  language: string;
  category: string;
  status: string;
  rejected_reason: string | null;
  /** GREEN, YELLOW, RED or UNKNOWN. */
  quality: string | null;
  parameter_format: string;
  components: unknown;
}

/** The database's time, for `writeTemplates`. */
export async function readDatabaseTime(sql: Sql): Promise<string> {
  const [row] = await sql<{ now: string }[]>`select now()::text as now`;
  return row!.now;
}

/**
 * Writes the complete list the platform gave, and settles what submissions left open; returns how many of our rows
 * differed.
 *
 * @param account.listedAt the database's time before the platform began to list; what was made since is left alone
 */
export async function writeTemplates(
  sql: Sql,
  { companyId, wabaId, listedAt }: { companyId: string; wabaId: string; listedAt: string },
  templates: SyncedTemplateRow[],
): Promise<number> {
  const [row] = await sql<{ changed: number }[]>`
    with written as materialized (
      select outbound.sync_templates(
        ${companyId}, ${wabaId}, ${jsonParameter(sql, templates)}, ${listedAt}::text::timestamptz) as changed
    )
    select changed, outbound.settle_template_submissions(${companyId}, ${wabaId}, ${listedAt}::text::timestamptz)
    from written`;
  return row!.changed;
}

/**
 * The accounts whose templates nobody has looked at for an hour, at most `limit` of them; each is handed to one caller
 * only, whatever becomes of it.
 */
export async function takeAccountsToSync(sql: Sql, limit: number): Promise<TemplateAccount[]> {
  return await sql<TemplateAccount[]>`
    select company_id as "companyId", waba_id as "wabaId", sender_id as "senderId", token_sealed as "tokenSealed"
    from outbound.take_accounts_to_sync(${limit})`;
}

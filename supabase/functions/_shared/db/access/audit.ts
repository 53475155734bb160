import { jsonParameter, type Sql } from "../driver/connect.ts";

/** A key or a member. */
type Caller = `key:${string}` | `user:${string}`;

/**
 * The one who changes something: a key or a member, by themselves or through an agent (`mcp:`), an operator at a
 * terminal, or the platform.
 */
export interface Actor {
  actor: Caller | `mcp:${Caller}` | "cli" | "platform";
  /** Of the HTTP request. */
  requestId?: string | undefined;
}

/** The actor of every operator command. */
export const CLI: Actor = { actor: "cli" };

/** A change of something that belongs to a company. */
export interface AuditEntry extends Actor {
  /** Noun and verb: `contact.erased`. */
  action: string;
  /** The thing that was changed; never a person's address. */
  subject?: string | undefined;
  before?: Record<string, unknown> | undefined;
  after?: Record<string, unknown> | undefined;
}

/** Records who changed what. Call it in the transaction of the change. */
export async function writeAudit(
  sql: Sql,
  companyId: string,
  { actor, action, subject, before, after, requestId }: AuditEntry,
): Promise<void> {
  await sql`select outbound.write_audit(
    ${companyId}, ${actor}, ${action}, ${subject ?? null}, ${before ? jsonParameter(sql, before) : null},
    ${after ? jsonParameter(sql, after) : null}, ${requestId ?? null})`;
}

/** As {@link writeAudit}, under an id of the caller's: a repeated call writes nothing. */
export async function writeAuditOnce(
  sql: Sql,
  companyId: string,
  { id, actor, action, subject, after, requestId }: Omit<AuditEntry, "before"> & { id: string },
): Promise<void> {
  await sql`
    insert into outbound.audit_log (company_id, id, actor, action, subject, after, request_id)
    values (${companyId}, ${id}, ${actor}, ${action}, ${subject ?? null},
      ${after ? jsonParameter(sql, after) : null}, ${requestId ?? null})
    on conflict (company_id, id) do nothing`;
}

/** Records who changed which fields: those of `after` that differ from `before`. Writes nothing where none does. */
export async function auditChange(
  sql: Sql,
  companyId: string,
  { actor, action, subject, before, after, requestId }:
    & Required<Pick<AuditEntry, "before" | "after">>
    & AuditEntry,
): Promise<void> {
  await sql`select outbound.audit_change(
    ${companyId}, ${actor}, ${action}, ${subject ?? null}, ${jsonParameter(sql, before)},
    ${jsonParameter(sql, after)}, ${requestId ?? null})`;
}

/** Returns a row of a statement that also wrote the audit, without what it returned of that. */
export function withoutAudited<Row extends { audited: string | null }>(
  { audited: _, ...row }: Row,
): Omit<Row, "audited"> {
  return row;
}

/** One row of a company's audit. */
export interface AuditRow {
  id: string;
  at: Date;
  actor: string;
  action: string;
  subject: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  request_id: string | null;
}

export interface AuditQuery {
  companyId: string;
  action?: string | undefined;
  actor?: string | undefined;
  subject?: string | undefined;
  /** The last row of the page before. */
  after?: string | undefined;
  limit: number;
}

/** Returns a page of a company's audit, newest first. */
export async function readAudit(
  sql: Sql,
  { companyId, action, actor, subject, after, limit }: AuditQuery,
): Promise<AuditRow[]> {
  return await sql<AuditRow[]>`
    select id, at, actor, action, subject, before, after, request_id from outbound.audit_log
    where company_id = ${companyId}
      ${action ? sql`and action = ${action}` : sql``}
      ${actor ? sql`and actor = ${actor}` : sql``}
      ${subject ? sql`and subject = ${subject}` : sql``}
      ${
    after
      ? sql`and (at, id) < (select a.at, a.id from outbound.audit_log as a where a.company_id = ${companyId} and a.id = ${after})`
      : sql``
  }
    order by at desc, id desc limit ${limit}`;
}

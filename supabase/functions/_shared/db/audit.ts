import { jsonParameter, type Sql } from "./connect.ts";

/** A change of something that belongs to a company. */
export interface AuditEntry {
  /** `key:<id>`, `user:<id>`, `cli` or `platform`. */
  actor: string;
  /** Noun and verb: `contact.erased`. */
  action: string;
  /** The thing that was changed; never a person's address. */
  subject?: string | undefined;
  before?: Record<string, unknown> | undefined;
  after?: Record<string, unknown> | undefined;
  requestId?: string | undefined;
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

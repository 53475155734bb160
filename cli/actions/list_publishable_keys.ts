import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

export interface PublishableKeyRow {
  keyId: string;
  companyId: string;
  key: string;
  isActive: boolean;
  createdAt: Date;
}

/**
 * The publishable keys of one company, or of all, revoked ones included.
 *
 * @throws {CommandError} `not_found`
 */
export async function listPublishableKeys(
  { sql }: { sql: Sql },
  { companyId }: { companyId?: string | undefined } = {},
): Promise<PublishableKeyRow[]> {
  if (companyId) await refuseUnlessCompany(sql, companyId);
  return await sql<PublishableKeyRow[]>`
    select id as "keyId", company_id as "companyId", key, is_active as "isActive", created_at as "createdAt"
    from outbound.publishable_keys
    ${companyId ? sql`where company_id = ${companyId}` : sql``}
    order by company_id, created_at, id`;
}

import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";

export interface CompanyRow {
  companyId: string;
  name: string;
  apiAccess: boolean;
  /** `none`, `active` or `revoked`. */
  key: string;
  members: number;
  senders: number;
  createdAt: Date;
}

/** All companies, oldest first. */
export async function listCompanies({ sql }: { sql: Sql }): Promise<CompanyRow[]> {
  return await sql<CompanyRow[]>`
    select c.id as "companyId", c.name, c.api_access as "apiAccess",
      coalesce((
        select case when k.is_active then 'active' else 'revoked' end
        from outbound.api_keys as k where k.company_id = c.id and k.is_current
      ), 'none') as key,
      (select count(*)::int from outbound.company_members as m where m.company_id = c.id) as members,
      (select count(*)::int from outbound.senders as s where s.company_id = c.id) as senders,
      c.created_at as "createdAt"
    from outbound.companies as c
    order by c.created_at, c.id`;
}

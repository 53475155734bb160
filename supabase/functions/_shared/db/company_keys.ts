import type { Sql } from "./connect.ts";

export interface CompanyKeyRow {
  company_id: string;
  company_name: string;
  api_access: boolean;
  /** Null when the company has no key yet. */
  key_id: string | null;
  key_sealed: string | null;
  is_active: boolean | null;
  last_used_at: Date | null;
}

/** The companies a user belongs to, each with its current key, by name. */
export async function readCompanyKeys(sql: Sql, userId: string): Promise<CompanyKeyRow[]> {
  return await sql<CompanyKeyRow[]>`
    select c.id as company_id, c.name as company_name, c.api_access, k.id as key_id, k.key_sealed, k.is_active,
      k.last_used_at
    from outbound.company_members as m
    join outbound.companies as c on c.id = m.company_id
    left join outbound.api_keys as k on k.company_id = c.id and k.is_current
    where m.user_id = ${userId}
    order by c.name, c.id`;
}

import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { unknownCompany } from "./unknown_company.ts";

/** What happens to a message whose fate the platform never tells: it is sent again, or held as failed. */
export type OnUnknown = "resend" | "hold";

export interface CompanySettings {
  companyId: string;
  apiAccess: boolean;
  onUnknown: OnUnknown;
}

/**
 * Changes the given settings of a company and answers all of them.
 *
 * @throws {CommandError} `not_found`
 */
export async function updateCompany(
  { sql }: { sql: Sql },
  { companyId, apiAccess, onUnknown }: { companyId: string; apiAccess?: boolean; onUnknown?: OnUnknown },
): Promise<CompanySettings> {
  const [row] = await sql<CompanySettings[]>`
    update outbound.companies
    set api_access = coalesce(${apiAccess ?? null}, api_access), on_unknown = coalesce(${
    onUnknown ?? null
  }, on_unknown)
    where id = ${companyId}
    returning id as "companyId", api_access as "apiAccess", on_unknown as "onUnknown"`;
  if (!row) throw unknownCompany(companyId);
  return row;
}

import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

/** Why a company's webhook was not found: there is no such company, or it has none. */
export async function noWebhook(sql: Sql, companyId: string): Promise<CommandError> {
  await refuseUnlessCompany(sql, companyId);
  return new CommandError("not_found", `Company ${companyId} has no webhook: use "webhook set"`);
}

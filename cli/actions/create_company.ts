import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { requireOneLine } from "./require_one_line.ts";
import { refuseOnConstraint } from "./refuse_on_constraint.ts";

/**
 * Makes a company. Without `apiAccess` its users are refused the company's key and its key is refused everywhere.
 *
 * @throws {CommandError} `bad_value` when the name is empty or longer than 200 characters
 */
export async function createCompany(
  { sql }: { sql: Sql },
  { name, apiAccess = true }: { name: string; apiAccess?: boolean },
): Promise<{ companyId: string }> {
  requireOneLine({ name });
  const [row] = await refuseOnConstraint(
    sql<{ companyId: string }[]>`
      insert into outbound.companies (name, api_access) values (${name}, ${apiAccess})
      returning id as "companyId"`,
    { companies_name_check: () => new CommandError("bad_value", "A company's name has 1 to 200 characters") },
  );
  return row!;
}

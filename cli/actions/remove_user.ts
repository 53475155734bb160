import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { authAdmin, type AuthServerSettings, findUserByEmail } from "./auth_admin.ts";
import { isUserId } from "./is_user_id.ts";

/**
 * Takes a user out of companies, of all or of none. The user stays at the auth server. An id needs no auth server, so that
 * a user who is no longer there can be taken out.
 *
 * @param user an id or an e-mail
 * @throws {CommandError} `not_found` for an unknown e-mail, or a company the user does not belong to; `platform_error`
 * from the auth server
 */
export async function removeUser(
  { sql, authServer }: { sql: Sql; authServer: () => AuthServerSettings },
  { user, companyIds }: { user: string; companyIds: string[] },
): Promise<{ userId: string; removed: string[] }> {
  const userId = isUserId(user)
    ? user.toLowerCase()
    : (await findUserByEmail(authAdmin(authServer()), user))?.id;
  if (!userId) throw new CommandError("not_found", `The auth server has no user ${user}`);
  return await sql.begin(async (transaction) => {
    const rows = await transaction<{ company_id: string }[]>`
      delete from outbound.company_members
      where user_id = ${userId} and company_id = any (${companyIds}::uuid[])
      returning company_id`;
    const removed = rows.map((row) => row.company_id);
    const missing = companyIds.find((id) => !removed.includes(id));
    if (missing) throw new CommandError("not_found", `User ${user} does not belong to company ${missing}`);
    return { userId, removed };
  });
}

import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { authAdmin, type AuthServerSettings, findUserByEmail, findUserById } from "./auth_admin.ts";
import { insertMembers } from "./insert_members.ts";
import { isUserId } from "./is_user_id.ts";
import { refuseUnknownCompanies } from "./refuse_unknown_companies.ts";

/**
 * Makes a user of the auth server a member of companies; `added` are those they did not belong to.
 *
 * @param user an id or an e-mail
 * @throws {CommandError} `not_found` for an unknown company or user, `platform_error` from the auth server
 */
export async function addUser(
  { sql, ...authServer }: { sql: Sql } & AuthServerSettings,
  { user, companyIds }: { user: string; companyIds: string[] },
): Promise<{ userId: string; added: string[] }> {
  await refuseUnknownCompanies(sql, companyIds);
  const admin = authAdmin(authServer);
  const found = isUserId(user) ? await findUserById(admin, user) : await findUserByEmail(admin, user);
  if (!found) {
    throw new CommandError("not_found", `The auth server has no user ${user}: make one with "user create"`);
  }
  return { userId: found.id, added: await insertMembers(sql, found.id, companyIds) };
}

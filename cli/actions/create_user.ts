import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { authAdmin, type AuthServerSettings, findUserByEmail, refusedByAuthServer } from "./auth_admin.ts";
import { insertMembers } from "./insert_members.ts";
import { refuseUnknownCompanies } from "./refuse_unknown_companies.ts";
import { requireOneLine } from "./require_one_line.ts";

/** bcrypt hashes no more; the auth server fails on a longer one. */
const MAX_PASSWORD_BYTES = 72;

export interface NewUser {
  email: string;
  password: string;
  name: string;
  companyIds: string[];
}

/**
 * Makes a user at the auth server, with the e-mail taken as confirmed, and a member of every company named. A user
 * with this e-mail keeps password and name and only gains the memberships; `created` is false then.
 *
 * @throws {CommandError} `bad_value` for a password that is too long, and `not_found` for an unknown company, before
 * anything is made; `platform_error` with the auth server's own reason
 */
export async function createUser(
  { sql, ...authServer }: { sql: Sql } & AuthServerSettings,
  { email, password, name, companyIds }: NewUser,
): Promise<{ userId: string; created: boolean }> {
  requireOneLine({ name, "e-mail": email });
  if (new TextEncoder().encode(password).length > MAX_PASSWORD_BYTES) {
    throw new CommandError("bad_value", `The password is longer than ${MAX_PASSWORD_BYTES} bytes`);
  }
  await refuseUnknownCompanies(sql, companyIds);
  const admin = authAdmin(authServer);
  const { data, error } = await admin.createUser({
    email,
    password,
    email_confirm: true,
    user_metadata: { name },
  });
  if (error && error.code !== "email_exists") throw refusedByAuthServer(error);
  const user = data.user ?? await findUserByEmail(admin, email);
  if (!user) throw new CommandError("platform_error", `The auth server has ${email} but does not list it`);
  await insertMembers(sql, user.id, companyIds);
  return { userId: user.id, created: !error };
}

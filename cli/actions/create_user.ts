import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { requireOneLine } from "./require_one_line.ts";
import { unknownCompany } from "./unknown_company.ts";

const USERS_PER_PAGE = 1000;

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
 * @throws {CommandError} `not_found` for an unknown company, before anything is made; `platform_error` with the
 * auth server's own reason
 */
export async function createUser(
  { sql, supabaseUrl, supabaseSecretKey }: { sql: Sql; supabaseUrl: string; supabaseSecretKey: string },
  { email, password, name, companyIds }: NewUser,
): Promise<{ userId: string; created: boolean }> {
  requireOneLine({ name, "e-mail": email });
  await refuseUnknownCompanies(sql, companyIds);
  const auth = createClient(supabaseUrl, supabaseSecretKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
  const { data, error } = await auth.auth.admin.createUser({
    email,
    password,
    email_confirm: true,
    user_metadata: { name },
  });
  if (error && error.code !== "email_exists") throw refusedByAuthServer(error);
  const userId = data.user?.id ?? await findUserId(auth, email);
  await sql`
    insert into outbound.company_members (company_id, user_id)
    select company_id, ${userId} from unnest(${companyIds}::uuid[]) as company_id
    on conflict do nothing`;
  return { userId, created: !error };
}

async function refuseUnknownCompanies(sql: Sql, companyIds: string[]): Promise<void> {
  const [unknown] = await sql<{ id: string }[]>`
    select wanted.id from unnest(${companyIds}::uuid[]) as wanted(id)
    where not exists (select 1 from outbound.companies as c where c.id = wanted.id)`;
  if (unknown) throw unknownCompany(unknown.id);
}

/** The auth server has no search by e-mail, so its pages are read until the user turns up. */
async function findUserId(auth: SupabaseClient, email: string): Promise<string> {
  for (let page = 1;; page++) {
    const { data, error } = await auth.auth.admin.listUsers({ page, perPage: USERS_PER_PAGE });
    if (error) throw refusedByAuthServer(error);
    const found = data.users.find((user) => user.email?.toLowerCase() === email.toLowerCase());
    if (found) return found.id;
    if (data.users.length === 0) {
      throw new CommandError("platform_error", `The auth server has ${email} but does not list it`);
    }
  }
}

function refusedByAuthServer(error: { message: string; status?: number | undefined }): CommandError {
  const message = error.status
    ? `The auth server refused: ${error.message}`
    : "The auth server cannot be reached";
  return new CommandError("platform_error", message, { cause: error });
}

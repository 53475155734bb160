import type { User } from "@supabase/supabase-js";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { authAdmin, type AuthServerSettings, findUserById } from "./auth_admin.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

/** Requests to the auth server that are under way at once. */
const MAX_REQUESTS = 10;

/** One membership. */
export interface MemberRow {
  userId: string;
  /** Null when the auth server no longer has the user, or has no e-mail of them. */
  email: string | null;
  name: string | null;
  /** `gone`: the auth server no longer has the user. */
  state: "active" | "banned" | "gone";
  lastSignInAt: Date | null;
  companyId: string;
  companyName: string;
}

/**
 * The users of one company, or of all, as the auth server knows them.
 *
 * @throws {CommandError} `not_found`, or `platform_error` from the auth server
 */
export async function listUsers(
  { sql, ...authServer }: { sql: Sql } & AuthServerSettings,
  { companyId }: { companyId?: string | undefined } = {},
): Promise<MemberRow[]> {
  if (companyId) await refuseUnlessCompany(sql, companyId);
  const members = await sql<Pick<MemberRow, "userId" | "companyId" | "companyName">[]>`
    select m.user_id as "userId", c.id as "companyId", c.name as "companyName"
    from outbound.company_members as m join outbound.companies as c on c.id = m.company_id
    ${companyId ? sql`where c.id = ${companyId}` : sql``}
    order by c.name, c.id, m.user_id`;
  const users = await findUsers(authServer, [...new Set(members.map((member) => member.userId))]);
  return members.map((member) => ({ ...member, ...described(users.get(member.userId)) }));
}

async function findUsers(
  authServer: AuthServerSettings,
  ids: string[],
): Promise<Map<string, User | undefined>> {
  const admin = authAdmin(authServer);
  const users = new Map<string, User | undefined>();
  const queue = ids.values();
  const work = async () => {
    for (const id of queue) users.set(id, await findUserById(admin, id));
  };
  await Promise.all(Array.from({ length: MAX_REQUESTS }, work));
  return users;
}

function described(user: User | undefined): Pick<MemberRow, "email" | "name" | "state" | "lastSignInAt"> {
  if (!user) return { email: null, name: null, state: "gone", lastSignInAt: null };
  const { email, user_metadata, banned_until, last_sign_in_at } = user;
  return {
    email: email || null,
    name: typeof user_metadata.name === "string" ? user_metadata.name : null,
    state: banned_until && new Date(banned_until) > new Date() ? "banned" : "active",
    lastSignInAt: last_sign_in_at ? new Date(last_sign_in_at) : null,
  };
}

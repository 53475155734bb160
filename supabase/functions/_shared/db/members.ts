import type { Role } from "../access/roles.ts";
import type { Sql } from "./connect.ts";

/** One user's membership of one company. */
export interface Membership {
  userId: string;
  companyId: string;
  companyName: string;
  role: Role;
}

/** Returns the companies of a user, by name. */
export async function readCompaniesOfUser(sql: Sql, userId: string): Promise<Membership[]> {
  return await sql<Membership[]>`
    select m.user_id as "userId", c.id as "companyId", c.name as "companyName", m.role
    from outbound.company_members as m join outbound.companies as c on c.id = m.company_id
    where m.user_id = ${userId}
    order by c.name, c.id`;
}

/** Returns what a user may do in a company; null for no member. */
export async function readRole(
  sql: Sql,
  { userId, companyId }: { userId: string; companyId: string },
): Promise<Role | null> {
  const [row] = await sql<{ role: Role }[]>`
    select role from outbound.company_members where company_id = ${companyId} and user_id = ${userId}`;
  return row?.role ?? null;
}

/** Makes a user a member of companies that exist, and returns those it was not a member of before. A role stays. */
export async function insertMembers(
  sql: Sql,
  userId: string,
  { companyIds, role }: { companyIds: string[]; role: Role },
): Promise<string[]> {
  const rows = await sql<{ company_id: string }[]>`
    insert into outbound.company_members (company_id, user_id, role)
    select distinct company_id, ${userId}::uuid, ${role} from unnest(${companyIds}::uuid[]) as company_id
    on conflict do nothing
    returning company_id`;
  return rows.map((row) => row.company_id);
}

/** Returns the memberships of one company, or of all, by the companies' names. */
export async function readMemberships(
  sql: Sql,
  { companyId }: { companyId?: string | undefined },
): Promise<Membership[]> {
  return await sql<Membership[]>`
    select m.user_id as "userId", c.id as "companyId", c.name as "companyName", m.role
    from outbound.company_members as m join outbound.companies as c on c.id = m.company_id
    ${companyId ? sql`where c.id = ${companyId}` : sql``}
    order by c.name, c.id, m.user_id`;
}

/** The user does not belong to one of the companies. */
export class NotAMemberError extends Error {
  override readonly name = "NotAMemberError";
  readonly companyId: string;

  constructor(companyId: string) {
    super(`The user does not belong to company ${companyId}`);
    this.companyId = companyId;
  }
}

/**
 * Removes a user from all of the companies, or from none, and returns them.
 *
 * @throws {NotAMemberError} when the user does not belong to one of them
 */
export async function deleteMembers(sql: Sql, userId: string, companyIds: string[]): Promise<string[]> {
  return await sql.begin(async (transaction) => {
    const rows = await transaction<{ company_id: string }[]>`
      delete from outbound.company_members
      where user_id = ${userId} and company_id = any (${companyIds}::uuid[])
      returning company_id`;
    const removed = rows.map((row) => row.company_id);
    const missing = companyIds.find((id) => !removed.includes(id));
    if (missing) throw new NotAMemberError(missing);
    return removed;
  });
}

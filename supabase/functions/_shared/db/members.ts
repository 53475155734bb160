import type { Sql } from "./connect.ts";

/** One user's membership of one company. */
export interface Membership {
  userId: string;
  companyId: string;
  companyName: string;
}

/** Makes a user a member of companies that exist, and returns those it was not a member of before. */
export async function insertMembers(sql: Sql, userId: string, companyIds: string[]): Promise<string[]> {
  const rows = await sql<{ company_id: string }[]>`
    insert into outbound.company_members (company_id, user_id)
    select distinct company_id, ${userId}::uuid from unnest(${companyIds}::uuid[]) as company_id
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
    select m.user_id as "userId", c.id as "companyId", c.name as "companyName"
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

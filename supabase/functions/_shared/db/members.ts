import type { Role } from "../access/roles.ts";
import { AppError } from "../errors.ts";
import { afterRow } from "./after_row.ts";
import type { Actor } from "./audit.ts";
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
  by: Actor,
): Promise<string[]> {
  const rows = await sql<{ company_id: string }[]>`
    with added as (
      insert into outbound.company_members (company_id, user_id, role)
      select distinct company_id, ${userId}::uuid, ${role} from unnest(${companyIds}::uuid[]) as company_id
      on conflict do nothing
      returning *
    )
    select company_id, outbound.write_audit(
      company_id, ${by.actor}, 'member.added', user_id::text, null, jsonb_build_object('role', role),
      ${by.requestId ?? null}
    ) from added`;
  return rows.map((row) => row.company_id);
}

/** Whether a change may leave a company without an owner: an operator may, because an operator can add one. */
export interface OwnerRule {
  mayLeaveNone: boolean;
}

/** A user's role in companies to change. */
export interface RoleChange extends OwnerRule {
  companyIds: string[];
  role: Role;
}

/**
 * Changes a user's role in all of the companies, or in none.
 *
 * @throws {NotAMemberError} when the user does not belong to one of them; `AppError` `last_owner`
 */
export async function updateRoles(
  sql: Sql,
  userId: string,
  { companyIds, role, mayLeaveNone }: RoleChange,
  by: Actor,
): Promise<void> {
  await changeMembers(sql, { companyIds, mayLeaveNone }, async (transaction) => {
    const rows = await transaction<{ company_id: string }[]>`
      with old as materialized (
        select company_id, user_id, role from outbound.company_members
        where user_id = ${userId} and company_id = any (${companyIds}::uuid[]) for no key update
      ),
      changed as (
        update outbound.company_members as m set role = ${role}
        from old where m.company_id = old.company_id and m.user_id = old.user_id
        returning m.*
      )
      select changed.company_id, outbound.audit_change(
        changed.company_id, ${by.actor}, 'member.updated', changed.user_id::text,
        jsonb_build_object('role', old.role), jsonb_build_object('role', changed.role), ${
      by.requestId ?? null
    }
      ) from changed join old on old.company_id = changed.company_id`;
    return rows.map((row) => row.company_id);
  });
}

/**
 * Does `change`, which returns the companies whose member it changed.
 *
 * Changes of one company's members wait for each other: of two owners who remove each other at once, one stays.
 */
async function changeMembers(
  sql: Sql,
  { companyIds, mayLeaveNone }: OwnerRule & { companyIds: string[] },
  change: (transaction: Sql) => Promise<string[]>,
): Promise<string[]> {
  return await sql.begin(async (transaction) => {
    await transaction`
      select 1 from outbound.companies where id = any (${companyIds}::uuid[]) order by id for no key update`;
    const owned = await ownedOf(transaction as unknown as Sql, companyIds);
    const changed = await change(transaction as unknown as Sql);
    const missing = companyIds.find((id) => !changed.includes(id));
    if (missing) throw new NotAMemberError(missing);
    const stillOwned = mayLeaveNone ? owned : await ownedOf(transaction as unknown as Sql, companyIds);
    if (stillOwned.length < owned.length) throw lastOwner();
    return changed;
  });
}

async function ownedOf(sql: Sql, companyIds: string[]): Promise<string[]> {
  const rows = await sql<{ company_id: string }[]>`
    select distinct company_id from outbound.company_members
    where company_id = any (${companyIds}::uuid[]) and role = 'owner'`;
  return rows.map((row) => row.company_id);
}

function lastOwner(): AppError {
  return new AppError("last_owner", "This is the company's last owner: make somebody else an owner first");
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

/** A member of a company, without what the auth server knows. */
export interface MemberRow {
  userId: string;
  role: Role;
  createdAt: Date;
}

/** Returns a page of a company's members, newest first. */
export async function readMemberPage(
  sql: Sql,
  { companyId, after, limit }: { companyId: string; after?: string | undefined; limit: number },
): Promise<MemberRow[]> {
  return await sql<MemberRow[]>`
    select user_id as "userId", role, created_at as "createdAt" from outbound.company_members
    where company_id = ${companyId}
      ${
    afterRow(sql, "company_members", { table: "outbound.company_members", companyId, after, id: "user_id" })
  }
    order by created_at desc, user_id desc limit ${limit}`;
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
 * @throws {NotAMemberError} when the user does not belong to one of them; `AppError` `last_owner`
 */
export async function deleteMembers(
  sql: Sql,
  userId: string,
  { companyIds, mayLeaveNone }: OwnerRule & { companyIds: string[] },
  by: Actor,
): Promise<string[]> {
  return await changeMembers(sql, { companyIds, mayLeaveNone }, async (transaction) => {
    const rows = await transaction<{ company_id: string }[]>`
      with removed as (
        delete from outbound.company_members
        where user_id = ${userId} and company_id = any (${companyIds}::uuid[])
        returning *
      )
      select company_id, outbound.write_audit(
        company_id, ${by.actor}, 'member.removed', user_id::text, jsonb_build_object('role', role), null,
        ${by.requestId ?? null}
      ) from removed`;
    return rows.map((row) => row.company_id);
  });
}

import type { Role } from "../../access/roles.ts";
import { AppError } from "../../errors.ts";
import { afterRow } from "../driver/after_row.ts";
import type { Actor } from "./audit.ts";
import type { Sql } from "../driver/connect.ts";

/** One user's membership of one company. */
export interface Membership {
  user_id: string;
  company_id: string;
  company_name: string;
  role: Role;
}

/** A company of a user. */
export interface CompanyOfUser extends Membership {
  /** The company's, or that of the company whose test company it is. */
  live_name: string;
  /** It is the test company of the one before it. */
  is_test: boolean;
}

/** Names a member of a company. */
export interface MemberIds {
  companyId: string;
  userId: string;
}

/** Returns the companies of a user, by name, each with its test company behind it. */
export async function readCompaniesOfUser(sql: Sql, userId: string): Promise<CompanyOfUser[]> {
  return await sql<CompanyOfUser[]>`
    select m.user_id, c.id as company_id, c.name as company_name, m.role, live.name as live_name, c.is_test
    from outbound.company_members as m
    join outbound.companies as live on live.id = m.company_id and live.live_company_id is null
    cross join lateral (
      select live.id, live.name, false as is_test
      union all
      select twin.id, twin.name, true from outbound.companies as twin where twin.live_company_id = live.id
    ) as c
    where m.user_id = ${userId}
    order by live.name, live.id, c.is_test`;
}

/** The rights of a member in a company. */
export interface MemberRights {
  role: Role;
  /** The company's. */
  api_access: boolean;
  /** It is a test company. */
  is_test: boolean;
}

/** Returns what a user may do in a company; null for no member. The members of a test company are those of the live one. */
export async function readMemberRights(
  sql: Sql,
  { userId, companyId }: MemberIds,
): Promise<MemberRights | null> {
  const [row] = await sql<MemberRights[]>`
    select m.role, c.api_access, c.live_company_id is not null as is_test
    from outbound.companies as c
    join outbound.company_members as m on m.company_id = coalesce(c.live_company_id, c.id)
    where c.id = ${companyId} and m.user_id = ${userId}`;
  return row ?? null;
}

/**
 * Makes a user a member of companies that exist, without asking them, and returns those it was not a member of before. A
 * member's role stays; a pending membership takes this one.
 */
export async function insertMembers(
  sql: Sql,
  userId: string,
  { companyIds, role }: { companyIds: string[]; role: Role },
  by: Actor,
): Promise<string[]> {
  const rows = await sql<{ company_id: string }[]>`
    with added as (
      insert into outbound.memberships as m (company_id, user_id, role)
      select distinct company_id, ${userId}::uuid, ${role} from unnest(${companyIds}::uuid[]) as company_id
      on conflict (company_id, user_id) do update
      set role = excluded.role, accepted_at = excluded.accepted_at, invited_email = null
      where m.accepted_at is null
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

/** A user's role in companies to change, also in those where the membership is pending. */
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
        select company_id, user_id, role from outbound.memberships
        where user_id = ${userId} and company_id = any (${companyIds}::uuid[]) for no key update
      ),
      changed as (
        update outbound.memberships as m set role = ${role}
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
  return new AppError("last_owner", "This is the company's last owner: make another member an owner first");
}

/** Returns the memberships of one company, or of all, also pending ones, by the companies' names. */
export async function readMemberships(
  sql: Sql,
  { companyId }: { companyId?: string | undefined },
): Promise<(Membership & { is_pending: boolean })[]> {
  return await sql<(Membership & { is_pending: boolean })[]>`
    select m.user_id, c.id as company_id, c.name as company_name, m.role,
      m.accepted_at is null as is_pending
    from outbound.memberships as m join outbound.companies as c on c.id = m.company_id
    ${companyId ? sql`where c.id = ${companyId}` : sql``}
    order by c.name, c.id, m.user_id`;
}

/** The columns of a member's picture; both are null for a member without one. */
export interface PictureColumns {
  picture_token: string | null;
  picture_id: string | null;
}

/** A member of a company, without what the auth server knows. */
export interface MemberRow extends PictureColumns {
  user_id: string;
  role: Role;
  /** Of the membership, or of the invitation while it is pending. */
  added_at: Date;
  /** The address that was invited, while the membership is pending; null for a member. */
  invited_email: string | null;
}

/** Returns a page of a company's members, newest first, on request with those who have not accepted yet. */
export async function readMemberPage(
  sql: Sql,
  { companyId, after, limit, withPending = false }: {
    companyId: string;
    after?: string | undefined;
    limit: number;
    withPending?: boolean;
  },
): Promise<MemberRow[]> {
  return await sql<MemberRow[]>`
    select m.user_id, m.role, coalesce(m.accepted_at, m.created_at) as added_at, m.invited_email,
      p.token as picture_token, p.id as picture_id
    from outbound.memberships as m
    left join outbound.member_pictures as p on p.company_id = m.company_id and p.user_id = m.user_id
    where m.company_id = ${companyId} and (${withPending} or m.accepted_at is not null)
      ${afterRow(sql, "m", { table: "outbound.memberships", companyId, after, id: "user_id" })}
    order by m.created_at desc, m.user_id desc limit ${limit}`;
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
 * Removes a user from all of the companies, or from none, and returns them. A pending membership ends as well.
 *
 * @throws {NotAMemberError} when the user does not belong to one of them; `AppError` `last_owner`
 */
export async function deleteMembers(
  sql: Sql,
  userId: string,
  { companyIds, mayLeaveNone }: OwnerRule & { companyIds: string[] },
  by: Actor,
): Promise<string[]> {
  const action = by.actor === `user:${userId}` ? "member.left" : "member.removed";
  return await changeMembers(sql, { companyIds, mayLeaveNone }, async (transaction) => {
    const rows = await transaction<{ company_id: string }[]>`
      with removed as (
        delete from outbound.memberships
        where user_id = ${userId} and company_id = any (${companyIds}::uuid[])
        returning *
      )
      select company_id, outbound.write_audit(
        company_id, ${by.actor}, ${action}, user_id::text, jsonb_build_object('role', role), null,
        ${by.requestId ?? null}
      ) from removed`;
    return rows.map((row) => row.company_id);
  });
}

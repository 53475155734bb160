import type { Role } from "../../access/roles.ts";
import type { Actor } from "./audit.ts";
import type { Sql } from "../driver/connect.ts";
import type { MemberIds, Membership } from "./members.ts";

/** A membership that its person has not accepted yet. */
export interface Invitation {
  company_id: string;
  name: string;
  role: Role;
  invited_at: Date;
}

/** Stores a pending membership, and returns whether it is new. A member, and a person who was invited before, keeps the role. */
export async function insertInvitation(
  sql: Sql,
  userId: string,
  { companyId, role, email }: { companyId: string; role: Role; email: string },
  by: Actor,
): Promise<boolean> {
  const added = await sql`
    with added as (
      insert into outbound.memberships (company_id, user_id, role, accepted_at, invited_email)
      values (${companyId}, ${userId}, ${role}, null, ${email})
      on conflict do nothing
      returning *
    )
    select outbound.write_audit(
      company_id, ${by.actor}, 'member.invited', user_id::text, null, jsonb_build_object('role', role),
      ${by.requestId ?? null}
    ) from added`;
  return added.length > 0;
}

/** Returns a user's pending memberships, by the companies' names. */
export async function readInvitations(sql: Sql, userId: string): Promise<Invitation[]> {
  return await sql<Invitation[]>`
    select c.id as company_id, c.name, m.role, m.created_at as invited_at
    from outbound.memberships as m join outbound.companies as c on c.id = m.company_id
    where m.user_id = ${userId} and m.accepted_at is null
    order by c.name, c.id`;
}

/** Makes a pending membership one. Returns undefined where none is pending. */
export async function acceptInvitation(
  sql: Sql,
  { userId, companyId }: MemberIds,
  by: Actor,
): Promise<Membership | undefined> {
  const [row] = await sql<(Membership & { audited: string })[]>`
    with accepted as (
      update outbound.memberships set accepted_at = now(), invited_email = null
      where company_id = ${companyId} and user_id = ${userId} and accepted_at is null
      returning *
    )
    select a.user_id, c.id as company_id, c.name as company_name, a.role, outbound.write_audit(
      c.id, ${by.actor}, 'member.accepted', a.user_id::text, null, jsonb_build_object('role', a.role),
      ${by.requestId ?? null}
    ) as audited
    from accepted as a join outbound.companies as c on c.id = a.company_id`;
  return row;
}

/** Ends a pending membership. Returns false where none is pending. */
export async function declineInvitation(
  sql: Sql,
  { userId, companyId }: MemberIds,
  by: Actor,
): Promise<boolean> {
  const rows = await sql`
    with declined as (
      delete from outbound.memberships
      where company_id = ${companyId} and user_id = ${userId} and accepted_at is null
      returning *
    )
    select outbound.write_audit(
      company_id, ${by.actor}, 'member.declined', user_id::text, jsonb_build_object('role', role), null,
      ${by.requestId ?? null}
    ) from declined`;
  return rows.length > 0;
}

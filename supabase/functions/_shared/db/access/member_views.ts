import type { Sql } from "../driver/connect.ts";
import type { MemberIds } from "./members.ts";

/** More are of no use in a menu. */
export const MAX_VIEWS_PER_MEMBER = 100;

/** The lists that have views. */
export const VIEW_SCREENS = ["campaigns", "contacts", "conversations"] as const;

export type ViewScreen = typeof VIEW_SCREENS[number];

/** Filters of a list that a member named. */
export interface MemberView {
  view_id: string;
  screen: ViewScreen;
  name: string;
  query: string;
  created_at: Date;
}

function columns(sql: Sql) {
  return sql`v.id as view_id, v.screen, v.name, v.query, v.created_at`;
}

/** Returns the member's views, or those of one list, by name. */
export async function readMemberViews(
  sql: Sql,
  { companyId, userId }: MemberIds,
  screen?: ViewScreen,
): Promise<MemberView[]> {
  return await sql<MemberView[]>`
    select ${columns(sql)} from outbound.member_views as v
    where v.company_id = ${companyId} and v.user_id = ${userId} ${
    screen === undefined ? sql`` : sql`and v.screen = ${screen}`
  }
    order by v.name, v.id`;
}

/** Adds a view. `taken`: another one of the list has the name; `full`: the member has as many as there may be. */
export async function insertMemberView(
  sql: Sql,
  { companyId, userId }: MemberIds,
  { id, screen, name, query }: { id: string; screen: ViewScreen; name: string; query: string },
): Promise<MemberView | "taken" | "full"> {
  const [row] = await sql<(MemberView & { is_full: boolean })[]>`
    with kept as materialized (
      select count(*) >= ${MAX_VIEWS_PER_MEMBER} as is_full from outbound.member_views as v
      where v.company_id = ${companyId} and v.user_id = ${userId}
    ),
    added as (
      insert into outbound.member_views as v (company_id, user_id, id, screen, name, query)
      select ${companyId}, ${userId}, ${id}, ${screen}, ${name}, ${query} from kept where not kept.is_full
      on conflict on constraint member_views_name_key do nothing
      returning ${columns(sql)}
    )
    select kept.is_full, added.* from kept left join added on true`;
  const { is_full, ...view } = row!;
  return is_full ? "full" : view.view_id === null ? "taken" : view;
}

/** Changes a view. `taken`: another one of the list has the name. Undefined when the member has none with this id. */
export async function updateMemberView(
  sql: Sql,
  { companyId, userId }: MemberIds,
  { id, name, query }: { id: string; name: string; query: string },
): Promise<MemberView | "taken" | undefined> {
  const [row] = await sql<(MemberView & { is_taken: boolean })[]>`
    with found as materialized (
      select ${columns(sql)}, exists (
        select from outbound.member_views as o
        where o.company_id = ${companyId} and o.user_id = ${userId} and o.screen = v.screen and o.name = ${name}
          and o.id <> v.id
      ) as is_taken
      from outbound.member_views as v
      where v.company_id = ${companyId} and v.user_id = ${userId} and v.id = ${id}
    ),
    changed as (
      update outbound.member_views as v set name = ${name}, query = ${query} from found
      where v.company_id = ${companyId} and v.user_id = ${userId} and v.id = found.view_id and not found.is_taken
    )
    select found.view_id, found.screen, ${name}::text as name, ${query}::text as query, found.created_at, found.is_taken
    from found`;
  return row?.is_taken ? "taken" : row;
}

/** Removes a view. Returns whether there was one. */
export async function deleteMemberView(
  sql: Sql,
  { companyId, userId }: MemberIds,
  id: string,
): Promise<boolean> {
  const deleted = await sql`
    delete from outbound.member_views as v
    where v.company_id = ${companyId} and v.user_id = ${userId} and v.id = ${id} returning 1`;
  return deleted.length > 0;
}

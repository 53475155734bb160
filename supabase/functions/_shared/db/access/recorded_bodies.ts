import type { Actor } from "./audit.ts";
import type { Sql } from "../driver/connect.ts";

/** Lets the bodies of a company's keys' requests be kept, or not any more: those that were kept are deleted then. */
export async function switchRecordedBodies(
  sql: Sql,
  { companyId, isOn }: { companyId: string; isOn: boolean },
  by: Actor,
): Promise<void> {
  const change = isOn
    ? sql`insert into outbound.recorded_bodies (company_id) values (${companyId}) on conflict do nothing`
    : sql`delete from outbound.recorded_bodies where company_id = ${companyId}`;
  await sql`
    with changed as (${change} returning company_id)
    select outbound.write_audit(
      company_id, ${by.actor}, 'company.updated', null, jsonb_build_object('record_bodies', ${!isOn}::boolean),
      jsonb_build_object('record_bodies', ${isOn}::boolean), ${by.requestId ?? null}
    ) from changed`;
}

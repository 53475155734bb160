import type { Sql } from "./connect.ts";

/**
 * When a dispatcher will next ask the platform for a business account whose senders it could not reach: the breaker of
 * one of them is open. Undefined when none is, or when it is being asked right now.
 */
export async function readNextProbe(
  sql: Sql,
  { companyId, wabaId }: { companyId: string; wabaId: string },
): Promise<Date | undefined> {
  const [row] = await sql<{ at: Date | null }[]>`
    select min(p.blocked_until) as at from outbound.senders as s
    join outbound.sender_pace as p on p.company_id = s.company_id and p.sender_id = s.id
    where s.company_id = ${companyId} and s.waba_id = ${wabaId} and p.blocked_until > now()`;
  return row?.at ?? undefined;
}

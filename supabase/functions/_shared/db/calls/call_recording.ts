import type { Sql } from "../driver/connect.ts";

/** A call with all that is needed to fetch its recording from the platform. */
export interface RecordedCall {
  /** Null when the platform never named it. */
  conversation_id: string | null;
  ongoing: boolean;
  /** Whether the person was erased. */
  erased: boolean;
  sender_id: string;
  token_sealed: string | null;
}

/** Returns a call with its sender; undefined when the company has no such call. */
export async function findRecordedCall(
  sql: Sql,
  { companyId, callId }: { companyId: string; callId: string },
): Promise<RecordedCall | undefined> {
  const [row] = await sql<RecordedCall[]>`
    select k.conversation_id, s.id as sender_id, s.token_sealed,
      n.status in ('sending', 'unconfirmed', 'sent') as ongoing, n.number is null as erased
    from outbound.calls as k
    cross join lateral (
      select * from outbound.notifications as o where o.company_id = k.company_id and o.id = k.notification_id limit 1
    ) as n
    join outbound.senders as s on s.company_id = n.company_id and s.id = n.sender_id
    where k.company_id = ${companyId} and k.notification_id = ${callId}`;
  return row;
}

import type { Sql } from "./connect.ts";

/** A call whose end nobody has told us of. */
export interface UnendedCall {
  companyId: string;
  notificationId: string;
  /** Of its last try. */
  fence: number;
  /** Null when it is not known whether the call was made. */
  conversationId: string | null;
  senderId: string;
  tokenSealed: string | null;
}

/** Calls to ask the platform about, at most `limit` of them; each is handed to one caller only, whatever becomes of it. */
export async function takeCallsToCheck(
  sql: Sql,
  { limit, afterS }: { limit: number; afterS: number },
): Promise<UnendedCall[]> {
  return await sql<UnendedCall[]>`
    select company_id as "companyId", id as "notificationId", fence, conversation_id as "conversationId",
      sender_id as "senderId", token_sealed as "tokenSealed"
    from outbound.take_calls_to_check(${limit}, make_interval(secs => ${afterS}))`;
}

/** Ends calls that were taken long ago and never ended anywhere; returns how many. */
export async function giveUpCalls(
  sql: Sql,
  { limit, afterS }: { limit: number; afterS: number },
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select outbound.give_up_calls(${limit}, make_interval(secs => ${afterS})) as count`;
  return row!.count;
}

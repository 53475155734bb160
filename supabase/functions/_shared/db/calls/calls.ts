import type { Sql } from "../driver/connect.ts";

/** How a call may end. */
export const CALL_OUTCOMES = ["answered", "voicemail", "busy", "no_answer", "failed"] as const;

export type CallOutcome = typeof CALL_OUTCOMES[number];

/** A call whose end was never reported. */
export interface UnendedCall {
  company_id: string;
  notification_id: string;
  /** Of its last attempt. */
  fence: number;
  /** Null when it is unknown whether the platform placed the call. */
  conversation_id: string | null;
  sender_id: string;
  token_sealed: string | null;
}

/** Takes up to `limit` calls to check with the platform; each goes to one caller only. */
export async function takeCallsToCheck(
  sql: Sql,
  { limit, afterS }: { limit: number; afterS: number },
): Promise<UnendedCall[]> {
  return await sql<UnendedCall[]>`
    select company_id, id as notification_id, fence, conversation_id,
      sender_id, token_sealed
    from outbound.take_calls_to_check(${limit}, make_interval(secs => ${afterS}))`;
}

/** Fails calls that the platform accepted long ago and whose end was never reported; returns how many. */
export async function failEndlessCalls(
  sql: Sql,
  { limit, afterS }: { limit: number; afterS: number },
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select outbound.fail_endless_calls(${limit}, make_interval(secs => ${afterS})) as count`;
  return row!.count;
}

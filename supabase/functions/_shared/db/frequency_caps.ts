import { jsonParameter, type Sql } from "./connect.ts";

/** A marketing message that is about to leave. Field names are those of `outbound.use_frequency_cap`. */
export interface CappedSend {
  company_id: string;
  notification_id: string;
  number: string | null;
  user_id: string | null;
  channel: "whatsapp" | "voice";
  /** Today in the recipient's zone, `2030-01-31`. */
  day: string;
  caps: { channel: "any" | "whatsapp" | "voice"; max: number; days: number }[];
}

/** Counts messages against their companies' caps. Returns for each, in order, whether it is over one and may not leave. */
export async function useFrequencyCaps(sql: Sql, sends: CappedSend[]): Promise<boolean[]> {
  const rows = await sql<{ is_over: boolean }[]>`
    select is_over from outbound.use_frequency_cap(${jsonParameter(sql, sends)}) order by ord`;
  return rows.map(({ is_over }) => is_over);
}

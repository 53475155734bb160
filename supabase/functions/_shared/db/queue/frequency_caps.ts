import { jsonParameter, type Sql } from "../driver/connect.ts";
import type { FrequencyCap } from "../../scheduling/sending_rules.ts";

/** The days that caps look at, in a recipient's zone. */
export interface CapDays {
  /** Today, `2030-01-31`. */
  day: string;
  /** `since`: when the first day that the cap looks at began. */
  caps: (FrequencyCap & { since: Date })[];
}

/** A marketing message that is about to leave. Field names are those of `outbound.use_frequency_cap`. */
export interface CappedSend extends CapDays {
  company_id: string;
  notification_id: string;
  number: string | null;
  user_id: string | null;
  channel: "whatsapp" | "voice";
}

/** Counts messages against their companies' caps. Returns for each, in order, whether it is over one and may not leave. */
export async function useFrequencyCaps(sql: Sql, sends: CappedSend[]): Promise<boolean[]> {
  const rows = await sql<{ is_over: boolean }[]>`
    select is_over from outbound.use_frequency_cap(${jsonParameter(sql, sends)}) order by ord`;
  return rows.map(({ is_over }) => is_over);
}

/** A person to whom marketing might go. */
export type MarketingRecipient = Pick<CappedSend, "number" | "user_id" | "day" | "caps">;

/** The outlook for marketing to a person. */
export interface MarketingPreview {
  /** Over one of the caps. */
  is_over: boolean;
  /** Until when the platform shields the person from marketing messages. */
  cooldown_until: Date | null;
}

/** Returns for each person, in order, what would become of marketing that left now. Counts nothing. */
export async function previewMarketing(
  sql: Sql,
  { companyId, channel, recipients }: {
    companyId: string;
    channel: "whatsapp" | "voice";
    recipients: MarketingRecipient[];
  },
): Promise<MarketingPreview[]> {
  return [
    ...await sql<MarketingPreview[]>`
      select is_over, cooldown_until from outbound.preview_marketing(
        ${companyId}, ${channel}, ${jsonParameter(sql, recipients)}, null
      ) order by ord`,
  ];
}

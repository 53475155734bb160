import type { FrequencyCap } from "../scheduling/sending_rules.ts";
import { jsonParameter, type Sql } from "./connect.ts";

/** A person to whom marketing might go. */
export interface MarketingRecipient {
  number: string | null;
  user_id: string | null;
  /** The day in the person's zone, `2030-01-31`. */
  day: string;
}

/** The outlook for marketing to a person. */
export interface MarketingOutlook {
  /** Over one of the caps. */
  is_over: boolean;
  /** Until when the platform shields the person from marketing messages. */
  rests_until: Date | null;
}

/** Returns for each person, in order, what would become of marketing that left now. Counts nothing. */
export async function foreseeMarketing(
  sql: Sql,
  { companyId, channel, recipients, caps }: {
    companyId: string;
    channel: "whatsapp" | "voice";
    recipients: MarketingRecipient[];
    caps: FrequencyCap[];
  },
): Promise<MarketingOutlook[]> {
  return [
    ...await sql<MarketingOutlook[]>`
      select is_over, rests_until from outbound.foresee_marketing(
        ${companyId}, ${channel}, ${jsonParameter(sql, recipients)}, ${jsonParameter(sql, caps)}
      ) order by ord`,
  ];
}

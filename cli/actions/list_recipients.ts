import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { type NotificationStatus, readRecipients } from "../../supabase/functions/_shared/db/recipients.ts";
import {
  describeRecipient,
  type Recipient,
} from "../../supabase/functions/_shared/notifications/recipient.ts";
import { showCampaign } from "./show_campaign.ts";

/**
 * What became of each notification of a campaign, or of those in one state.
 *
 * @throws {CommandError} `not_found`
 */
export async function listRecipients(
  { sql }: { sql: Sql },
  { campaignId, status }: { campaignId: string; status?: NotificationStatus | undefined },
): Promise<Recipient[]> {
  const { companyId } = await showCampaign({ sql }, { campaignId });
  const recipients: Recipient[] = [];
  for await (const page of readRecipients(sql, { companyId, campaignId, status })) {
    for (const row of page) recipients.push(describeRecipient(row));
  }
  return recipients;
}

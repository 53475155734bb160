import { acceptNotifications } from "../../../supabase/functions/_shared/db/queue/accept_notifications.ts";
import type { Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { hashAccessKey } from "../../../supabase/functions/_shared/access/new_keys.ts";
import { insertCompany, insertKey, insertSender } from "../../setup/fixtures/fixtures.ts";

/** Has a company of its own get a campaign accepted, with this many notifications waiting. */
export async function acceptCampaign(
  sql: Sql,
  { notifications }: { notifications: number },
): Promise<{ companyId: string; campaignId: string }> {
  const company = await insertCompany(sql);
  const [key, sender] = [await insertKey(sql, company.id), await insertSender(sql, company.id)];
  const campaignId = crypto.randomUUID();
  const [verdict] = await acceptNotifications(sql, [{
    key_hash: hashAccessKey(key.key),
    permission: "chatapp_notifications",
    ttl_s: 3600,
    campaign: {
      id: campaignId,
      channel: "whatsapp",
      name: "Autumn",
      notification_type: "marketing",
      sender_id: sender.id,
      template_id: null,
      template_name: "order_ready",
      template_language: "en",
      template_shape: null,
      agent_id: null,
      name_event: null,
      scheduled_time: null,
      rejected: 0,
    },
    notifications: Array.from({ length: notifications }, (_, n) => ({
      id: crypto.randomUUID(),
      number: `1555000${1000 + n}`,
      message: {},
    })),
    idempotency: null,
  }]);
  if (verdict?.outcome !== "accepted") throw new Error(`Not accepted: ${verdict?.outcome}`);
  return { companyId: company.id, campaignId };
}

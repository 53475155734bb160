import { uuidv7 } from "../../supabase/functions/_shared/values/uuid.ts";
import { hashAccessKey } from "../../supabase/functions/_shared/access/new_keys.ts";
import type { AcceptRequest } from "../../supabase/functions/_shared/db/queue/accept_notifications.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import type {
  ClaimedNotification,
  FinishedNotification,
} from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import type { PlatformEvent } from "../../supabase/functions/_shared/db/queue/platform_events.ts";
import type { Tenant } from "./tenants.ts";

/**
 * Returns requests for `contacts` contacts each, as the API plans them.
 *
 * @param scheduledTime when they are due; absent is now
 */
export async function planRequests(
  sql: Sql,
  { key, sender, template }: Tenant,
  { count, contacts = 1, scheduledTime = null }: {
    count: number;
    contacts?: number;
    scheduledTime?: string | null;
  },
): Promise<AcceptRequest[]> {
  const [stored] = await sql<
    { shape: string }[]
  >`select shape from outbound.templates where id = ${template.id}`;
  return Array.from({ length: count }, (_, index) => ({
    key_hash: hashAccessKey(key.key),
    permission: "chatapp_notifications",
    ttl_s: 86_400,
    campaign: {
      id: uuidv7(),
      channel: "whatsapp",
      name: "Bench",
      notification_type: "utility",
      sender_id: sender.id,
      template_id: template.id,
      template_name: template.name,
      template_language: template.language,
      template_shape: stored!.shape,
      agent_id: null,
      name_event: null,
      scheduled_time: scheduledTime,
      rejected: 0,
    },
    notifications: Array.from({ length: contacts }, (_, contact) => ({
      id: uuidv7(),
      number: String(34600000000 + index * contacts + contact),
      message: [{
        type: "body",
        parameters: [{ type: "text", text: "Ana" }, { type: "text", text: "A-1001" }],
      }],
    })),
    idempotency: null,
  }));
}

/** Returns the result of a message that the platform accepted. */
export function sentResult({ company_id, id, fence, attempt }: ClaimedNotification): FinishedNotification {
  return {
    company_id,
    id,
    fence,
    attempt,
    started_at: new Date().toISOString(),
    outcome: "sent",
    http_status: 200,
    error_code: null,
    reason: null,
    platform_message_id: `wamid.${crypto.randomUUID()}`,
    retry_in_s: null,
  };
}

/** Returns the platform's receipt for a message that it accepted. */
export function receipt(
  { company_id, id, fence, platform_message_id }: FinishedNotification,
  status: "sent" | "delivered" | "read",
): PlatformEvent {
  return {
    dedupe_key: `whatsapp:${platform_message_id}:${status}`,
    channel: "whatsapp",
    waba_id: "100000000000000",
    platform_message_id,
    company_id,
    notification_id: id,
    fence,
    status,
    occurred_at: new Date().toISOString(),
    error_code: null,
    retryable: false,
    reason: null,
  };
}

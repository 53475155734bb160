import type { ClaimedNotification } from "../db/queue/dispatch_queue.ts";
import type { PlatformEvent } from "../db/queue/platform_events.ts";
import { resultOf } from "../errors.ts";
import { fateOfNumber } from "../gateways/magic_numbers.ts";
import { readPlatformError } from "../gateways/whatsapp/errors.ts";
import type { Services } from "../services.ts";
import type { Send } from "./send.ts";

/**
 * Prepares a message of a test company. Nothing leaves: its receipts are stored as if the platform had reported
 * them, by the magic numbers. They are stored before the result, with the reference of this attempt. So a process that
 * dies in between leaves a message that moves on all the same.
 */
export function prepareTest(
  { eventStores, now }: Pick<Services, "eventStores" | "now">,
  notification: ClaimedNotification,
): Send {
  return async () => {
    const platformMessageId = `test.${notification.id}.${notification.fence}`;
    const stored = await resultOf(
      eventStores.add(receiptsOf(notification, { platformMessageId, at: now() })),
    );
    if (!stored.ok) return { kind: "not_sent", reason: "The receipts of a test could not be stored" };
    return { kind: "accepted", platformMessageId, httpStatus: 200, platformNumber: null };
  };
}

/** Returns what the platform would report of a message that it accepted. It names no price: a test costs nothing. */
function receiptsOf(
  { company_id, id, fence, number, test_account }: ClaimedNotification,
  { platformMessageId, at }: { platformMessageId: string; at: Date },
): PlatformEvent[] {
  const { error, unread } = fateOfNumber(number ?? "");
  const statuses = error !== undefined
    ? ["failed" as const]
    : unread
    ? ["delivered" as const]
    : ["delivered" as const, "read" as const];
  return statuses.map((status) => ({
    dedupe_key: `whatsapp:${platformMessageId}:${status}`,
    channel: "whatsapp",
    waba_id: test_account,
    platform_message_id: platformMessageId,
    company_id,
    notification_id: id,
    fence,
    status,
    occurred_at: at.toISOString(),
    error_code: error === undefined ? null : String(error),
    retryable: false,
    reason: error === undefined ? null : readPlatformError({ code: error })!.reason,
  }));
}

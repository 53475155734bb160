import type { Delivery } from "../../data/sdk.ts";
import { StatusBadge } from "../../components/status_badge.tsx";
import { webhookWords } from "../../i18n/webhook_words.ts";

/** The state of a delivery. One that waits after a failed attempt says so. */
export function DeliveryBadge({ status, attempts }: Pick<Delivery, "status" | "attempts">) {
  return status === "pending" && attempts > 0
    ? <StatusBadge of="delivery" status={status} label={webhookWords().retrying} />
    : <StatusBadge of="delivery" status={status} />;
}

import type { Delivery } from "../../data/sdk.ts";
import { StatusBadge } from "../../components/status_badge.tsx";
import { words } from "../../i18n/words.ts";

/** The state of a delivery. One that waits after a failed attempt says so. */
export function DeliveryBadge({ status, attempts }: Pick<Delivery, "status" | "attempts">) {
  return status === "pending" && attempts > 0
    ? <StatusBadge status={status} label={words().webhooks.retrying} />
    : <StatusBadge status={status} />;
}

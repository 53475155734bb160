import { deletePushSubscriptionsOf } from "../_shared/db/access/push_subscriptions.ts";
import { type Services, servicesOfAllCells } from "../_shared/services.ts";

/** Ends a user's notifications in browsers, in the background: their sessions have ended. */
export function endPushesOf(services: Services, userId: string): void {
  for (const { sql, inBackground } of servicesOfAllCells(services)) {
    inBackground(deletePushSubscriptionsOf(sql, userId));
  }
}

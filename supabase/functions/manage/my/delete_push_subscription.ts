import { z } from "@hono/zod-openapi";
import { deletePushSubscription } from "../../_shared/db/access/push_subscriptions.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberOf } from "./member_of.ts";
import { pushSubscriptionExample, pushSubscriptionParams } from "./push_subscription.ts";

/** `DELETE …/my/push_subscriptions/{subscription_id}` ends the caller's notifications in a browser. */
export function registerDeletePushSubscription(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/my/push_subscriptions/{subscription_id}",
    operationId: "removeMyPushSubscription",
    summary: "Be notified in a browser no more",
    params: pushSubscriptionParams,
    response: {
      schema: z.object({ subscription_id: z.guid(), removed: z.literal(true) }).openapi(
        "RemovedPushSubscription",
      ),
      example: { subscription_id: pushSubscriptionExample.subscription_id, removed: true },
    },
  }, async (c, { caller, params: { subscription_id } }) => {
    await deletePushSubscription(c.get("services").sql, memberOf(caller), subscription_id);
    return { subscription_id, removed: true as const };
  });
}

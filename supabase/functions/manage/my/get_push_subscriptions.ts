import { z } from "@hono/zod-openapi";
import { readPushSubscriptions } from "../../_shared/db/access/push_subscriptions.ts";
import { vapidKeysOf } from "../../_shared/events_out/push_keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberOf } from "./member_of.ts";
import {
  pushSubscriptionBodyExample,
  pushSubscriptionExample,
  pushSubscriptionSchema,
} from "./push_subscription.ts";

/** `GET …/my/push_subscriptions` lists the browsers in which the caller is notified. */
export function registerGetPushSubscriptions(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/my/push_subscriptions",
    operationId: "listMyPushSubscriptions",
    summary: "List the browsers in which you are notified",
    response: {
      schema: z.object({
        public_key: z.string().nullable().openapi({
          description: "To subscribe with; null where this service sends no notifications to browsers",
        }),
        subscriptions: z.array(pushSubscriptionSchema),
      }).openapi("MyPushSubscriptions"),
      example: {
        public_key: pushSubscriptionBodyExample.keys.p256dh,
        subscriptions: [pushSubscriptionExample],
      },
    },
  }, async (c, { caller }) => {
    const { env, sql } = c.get("services");
    const rows = await readPushSubscriptions(sql, memberOf(caller));
    return {
      public_key: vapidKeysOf(env)?.publicKey ?? null,
      subscriptions: rows.map((row) => showRow(pushSubscriptionSchema, row)),
    };
  });
}

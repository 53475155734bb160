import { areBrowserKeys } from "../../_shared/crypto/push_encryption.ts";
import { MAX_PUSH_SUBSCRIPTIONS, storePushSubscription } from "../../_shared/db/access/push_subscriptions.ts";
import { badFormat, notSetUp } from "../../_shared/errors.ts";
import { vapidKeysOf } from "../../_shared/events_out/push_keys.ts";
import { checkEndpointUrl } from "../../_shared/gateways/http1/addresses.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberOf } from "./member_of.ts";
import {
  pushSubscriptionBody,
  pushSubscriptionBodyExample,
  pushSubscriptionExample,
  pushSubscriptionSchema,
} from "./push_subscription.ts";

/** `PUT …/my/push_subscriptions` notifies the caller in a browser. */
export function registerPutPushSubscriptions(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/my/push_subscriptions",
    operationId: "saveMyPushSubscription",
    summary: "Be notified in a browser",
    description:
      `Takes what the browser's \`PushSubscription\` says. You have ${MAX_PUSH_SUBSCRIPTIONS} of them: the oldest is removed.`,
    body: { schema: pushSubscriptionBody, example: pushSubscriptionBodyExample },
    response: { schema: pushSubscriptionSchema, example: pushSubscriptionExample },
  }, async (c, { caller, body: { endpoint, keys, language } }) => {
    const { env, sql } = c.get("services");
    if (vapidKeysOf(env) === null) throw notSetUp("push", "This service sends no notifications to browsers");
    const url = checkEndpointUrl(endpoint, { allowPrivate: env.OUTBOUND_ALLOW_PRIVATE_WEBHOOKS });
    if (typeof url === "string") {
      throw badFormat(
        "endpoint",
        endpoint,
        "a public URL that begins with https://, without user name or password",
      );
    }
    if (!await areBrowserKeys(keys)) {
      throw badFormat("keys.p256dh", keys.p256dh, "a public key of P-256 in base64url");
    }
    const row = await storePushSubscription(sql, memberOf(caller), {
      endpoint: url.href,
      ...keys,
      language,
    });
    return showRow(pushSubscriptionSchema, row);
  });
}

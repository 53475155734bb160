import { json } from "../_shared/http/app/api_route.ts";
import type { App } from "../_shared/http/app/context.ts";
import { addNotificationRoute, type NotificationRoute } from "../_shared/http/notification_route.ts";
import { chatRequestSchema } from "../_shared/campaigns/chat_request.ts";
import { chatChannel, chatResponseSchema } from "../_shared/campaigns/chat.ts";

const route: NotificationRoute = {
  method: "post",
  path: "/notify",
  operationId: "sendNotification",
  summary: "Send a template message to one contact, or to up to 100",
  description:
    "Responds when the notifications are stored safely; sending follows. With `unflatten=true` nested keys " +
    "are written with dots (`contact.number`, `components_push.body_text_0`).",
  body: json(chatRequestSchema, {
    contact: { number: "34600111222", name: "Ana", order: "A-1001" },
    recipient_id: "34911222333",
    notification_type: "utility",
    campaign_name: "Order updates",
    name_template: "order_update",
    language_template: "en_US",
    components_push: { body_text_0: "{{name}}", body_text_1: "{{order}}" },
  }),
  response: json(chatResponseSchema, {
    success: true,
    message: "Notification queued",
    inquiry_set_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
  }),
};

/**
 * `POST /notify` queues a notification for one contact, or for up to 100, and responds before anything is sent.
 *
 * Fails with `unauthorized`, `validation_failed`, `template_not_found`, `template_not_approved`, `variable_mismatch`,
 * `sender_locked`, `campaign_mismatch`, `campaign_cancelled`, `idempotency_key_reused`, `payload_too_large`,
 * `rate_limit_exceeded` or `quota_exceeded`; a key without the permission, and an unknown campaign, get 403 and 404 in
 * the short form.
 */
export function registerPostNotify(app: App): void {
  addNotificationRoute(app, route, chatChannel);
}

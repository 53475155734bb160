import type { App } from "../_shared/http/app.ts";
import { addNotificationRoute, type NotificationRoute } from "../_shared/http/notification_route.ts";
import { chatRequestSchema } from "../_shared/notifications/chat_request.ts";
import { answerSchema } from "./answer.ts";
import { chatChannel } from "./chat_channel.ts";

const route: NotificationRoute = {
  method: "post",
  path: "/notify",
  summary: "Queue a chat notification for one contact, or for up to 100",
  description:
    "Answered when the notifications are stored safely; sending follows. With `unflatten=true` nested keys " +
    "are written with dots (`contact.number`, `components_push.body_text_0`).",
  body: chatRequestSchema,
  answer: answerSchema,
};

/**
 * `POST /notify` queues a notification for one contact, or for up to 100, and answers before anything is sent.
 *
 * Fails with `unauthorized`, `validation_failed`, `template_not_found`, `template_not_approved`, `variable_mismatch`,
 * `rate_limit_exceeded` or `quota_exceeded`; a key without the permission gets 403 in the short shape.
 */
export function registerPostNotify(app: App): void {
  addNotificationRoute(app, route, chatChannel);
}

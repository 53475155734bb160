import type { App } from "../_shared/http/app.ts";
import { addNotificationRoute, type NotificationRoute } from "../_shared/http/notification_route.ts";
import { voiceRequestSchema } from "../_shared/notifications/voice_request.ts";
import { answerSchema } from "./answer.ts";
import { voiceChannel } from "./voice_channel.ts";

const route: NotificationRoute = {
  method: "post",
  path: "/notify/voice",
  summary: "Queue a call by a voice agent to one contact, or to up to 100",
  description:
    "Answered when the calls are stored safely; calling follows. All fields of the contact, and all fields of the " +
    "request beyond those below, are told to the agent as dynamic variables. With `unflatten=true` nested keys are " +
    "written with dots (`contact.number`).",
  body: voiceRequestSchema,
  answer: answerSchema,
};

/**
 * `POST /notify/voice` queues a call to one contact, or to up to 100, and answers before anybody is called.
 *
 * Fails with `unauthorized`, `validation_failed`, `agent_not_found`, `rate_limit_exceeded` or `quota_exceeded`; a key
 * without the permission gets 403 in the short shape.
 */
export function registerPostVoice(app: App): void {
  addNotificationRoute(app, route, voiceChannel);
}

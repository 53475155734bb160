import { json } from "../_shared/http/app/api_route.ts";
import type { App } from "../_shared/http/app/context.ts";
import { addNotificationRoute, type NotificationRoute } from "../_shared/http/notification_route.ts";
import { voiceRequestSchema } from "../_shared/campaigns/voice_request.ts";
import { voiceChannel, voiceResponseSchema } from "../_shared/campaigns/voice.ts";

const route: NotificationRoute = {
  method: "post",
  path: "/notify/voice",
  operationId: "placeCall",
  summary: "Place a call by a voice agent to one contact, or to up to 100",
  description:
    "Responds when the calls are stored safely; calling follows. The agent gets all fields of the contact, and all " +
    "fields of the request beyond those below, as dynamic variables. With `unflatten=true` nested keys are " +
    "written with dots (`contact.number`).",
  body: json(voiceRequestSchema, {
    contact: { number: "34600111222", first_name: "Ana" },
    recipient_id: "34911222444",
    agent_id: "agent_01jx3k5m7n9p",
    notification_type: "transactional",
    campaign_name: "Appointment reminders",
    appointment: "Tuesday at ten",
  }),
  response: json(voiceResponseSchema, {
    success: true,
    message: "Call queued",
    notification_id: "0192f8ad-7283-7495-80a1-b2c3d4e5f607",
    scheduled_time: "2026-12-01T09:00:00Z",
    inquiry_set_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
  }),
};

/**
 * `POST /notify/voice` queues a call to one contact, or to up to 100, and responds before the first call.
 *
 * Fails with `unauthorized`, `validation_failed`, `agent_not_found`, `campaign_mismatch`, `campaign_cancelled`,
 * `rate_limit_exceeded` or `quota_exceeded`; a key without the permission, and an unknown campaign, get 403 and 404 in
 * the short form.
 */
export function registerPostVoice(app: App): void {
  addNotificationRoute(app, route, voiceChannel);
}

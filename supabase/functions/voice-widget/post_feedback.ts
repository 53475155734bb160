import { z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { isPlainText, WITHOUT_CONTROLS } from "../_shared/values/control_characters.ts";
import { saveFeedback } from "../_shared/db/widgets/voice_sessions.ts";
import { sendFeedback } from "../_shared/gateways/voice/sessions.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { successSchema } from "../_shared/http/app/shared_schemas.ts";
import { SESSION } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import {
  conversationIdSchema,
  requireOwnConversation,
  requireSession,
  sessionQuery,
} from "./require_session.ts";

const feedbackSchema = z.object({
  conversation_id: conversationIdSchema,
  rating: z.number({ error: "1 to 5" }).int("a whole number").min(1, "1 to 5").max(5, "1 to 5"),
  comment: z.string({ error: "text" }).trim().max(2000, "at most 2000 characters")
    .refine(isPlainText, WITHOUT_CONTROLS).nullish(),
}).openapi("Feedback");

const route: ApiRoute = {
  method: "post",
  path: "/voice-widget/feedback",
  operationId: "sendFeedback",
  summary: "Rate a voice session",
  tags: ["Voice widget"],
  security: SESSION,
  request: {
    query: z.object(sessionQuery),
    body: jsonBody(feedbackSchema, {
      conversation_id: "conv_01jx3k5m7n9p",
      rating: 5,
      comment: "Quick and friendly",
    }),
  },
  responses: {
    200: {
      description: "Stored; later feedback replaces earlier feedback",
      ...json(successSchema, { success: true }),
    },
    ...errorResponses([400, 401, 403, 404, 413, 429, 502]),
  },
};

/**
 * `POST /voice-widget/feedback` stores a rating of the session's conversation and passes it on to the voice platform. The
 * visitor does not notice when the platform is unavailable. Fails with `unauthorized`, `forbidden`, `not_found`, `validation_failed`,
 * `rate_limit_exceeded` or `service_unavailable`.
 */
export function registerPostFeedback(app: App): void {
  addRoute(app, route, async (c) => {
    const session = await requireSession(c);
    const { companyId, widgetId } = session;
    const body = checkFields(feedbackSchema, (await readJson(c)).value);
    await requireOwnConversation(c, session, body.conversation_id);
    const feedback = {
      conversationId: body.conversation_id,
      rating: body.rating,
      comment: body.comment || null,
    };
    const { services } = c.var;
    await saveFeedback(services.sql, { companyId, widgetId, ...feedback });
    const { ELEVENLABS_API_URL: apiUrl, ELEVENLABS_API_KEY: apiKey } = services.env;
    if (apiKey) {
      const sending = sendFeedback({ apiUrl }, { ...feedback, apiKey });
      services.inBackground(sending, { request_id: c.get("requestId") });
    }
    return c.json({ success: true });
  });
}

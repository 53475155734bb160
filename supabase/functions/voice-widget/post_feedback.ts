import { type RouteConfig, z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { isPlainText, WITHOUT_CONTROLS } from "../_shared/control_characters.ts";
import { saveFeedback } from "../_shared/db/voice_sessions.ts";
import { sendFeedback } from "../_shared/gateways/voice/send_feedback.ts";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { readJson } from "../_shared/http/read_json.ts";
import { requireOwnConversation } from "./require_own_conversation.ts";
import { conversationIdSchema, requireSession } from "./require_session.ts";
import { jsonBody, sessionQuery, sessionSecurity } from "./session_route.ts";

const feedbackSchema = z.object({
  conversation_id: conversationIdSchema,
  rating: z.number({ error: "1 to 5" }).int("a whole number").min(1, "1 to 5").max(5, "1 to 5"),
  comment: z.string({ error: "text" }).trim().max(2000, "at most 2000 characters")
    .refine(isPlainText, WITHOUT_CONTROLS).nullish(),
}).openapi("Feedback");

const route: RouteConfig = {
  method: "post",
  path: "/voice-widget/feedback",
  summary: "What a visitor thought of a session",
  tags: ["Widgets"],
  security: sessionSecurity,
  request: { query: z.object(sessionQuery), body: jsonBody(feedbackSchema) },
  responses: {
    200: {
      description: "Kept; a second opinion replaces the first",
      content: { "application/json": { schema: z.object({ success: z.literal(true) }) } },
    },
    ...errorResponses([400, 401, 403, 404, 413, 429, 502]),
  },
};

/**
 * `POST /voice-widget/feedback` keeps a rating of the session's conversation and passes it on to the voice platform, whose
 * silence is not the visitor's business. Fails with `unauthorized`, `forbidden`, `not_found`, `validation_failed`,
 * `rate_limit_exceeded` or `service_unavailable`.
 */
export function registerPostFeedback(app: App): void {
  addRoute(app, route, async (c) => {
    const session = await requireSession(c);
    const { companyId, widgetId } = session;
    const given = checkFields(feedbackSchema, (await readJson(c)).value);
    await requireOwnConversation(c, session, given.conversation_id);
    const feedback = {
      conversationId: given.conversation_id,
      rating: given.rating,
      comment: given.comment || null,
    };
    const { services } = c.var;
    await saveFeedback(services.sql, { companyId, widgetId, ...feedback });
    const { ELEVENLABS_API_URL: apiUrl, ELEVENLABS_API_KEY: apiKey } = services.env;
    if (apiKey) services.inBackground(sendFeedback({ apiUrl }, { ...feedback, apiKey }));
    return c.json({ success: true });
  });
}

import { type RouteConfig, z } from "@hono/zod-openapi";
import { badFormat, missingField } from "../_shared/errors.ts";
import { sessionTranscript } from "../_shared/gateways/voice/session_transcript.ts";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { conversationIdSchema, requireSession } from "./require_session.ts";
import { sessionQuery, sessionSecurity } from "./session_route.ts";
import { voicePlatform } from "./voice_platform.ts";

const answerSchema = z.object({
  conversation_id: z.string(),
  status: z.string().openapi({ description: "initiated, in-progress, processing, done or failed" }),
  messages: z.array(z.object({
    role: z.enum(["user", "agent"]),
    text: z.string(),
    time_in_call_secs: z.number(),
  })),
}).openapi("VoiceTranscript");

const route: RouteConfig = {
  method: "get",
  path: "/voice-widget/chat-by-conversation",
  summary: "What was said in a session",
  tags: ["Widgets"],
  security: sessionSecurity,
  request: { query: z.object({ ...sessionQuery, conversation_id: z.string() }) },
  responses: {
    200: { description: "The transcript so far", content: { "application/json": { schema: answerSchema } } },
    ...errorResponses([400, 401, 403, 404, 429, 502]),
  },
};

/**
 * `GET /voice-widget/chat-by-conversation` reads a session of the widget's agent from the voice platform. Fails with
 * `unauthorized`, `forbidden`, `validation_failed`, `not_found`, `rate_limit_exceeded` or `service_unavailable`.
 */
export function registerGetChatByConversation(app: App): void {
  addRoute(app, route, async (c) => {
    const { agentId } = await requireSession(c);
    const conversationId = readConversationId(c.req.query("conversation_id"));
    const { config, apiKey } = voicePlatform(c);
    const transcript = await sessionTranscript(config, { conversationId, agentId, apiKey });
    c.var.services.outages.worked("voice");
    return c.json(transcript);
  });
}

function readConversationId(given: string | undefined): string {
  if (!given) throw missingField("conversation_id");
  if (!conversationIdSchema.safeParse(given).success) {
    throw badFormat("conversation_id", given, "a conversation's id");
  }
  return given;
}

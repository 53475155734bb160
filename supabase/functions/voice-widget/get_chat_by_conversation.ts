import { z } from "@hono/zod-openapi";
import { badFormat, missingField } from "../_shared/errors.ts";
import { sessionTranscript } from "../_shared/gateways/voice/session_report.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { SESSION } from "../_shared/http/app/security.ts";
import {
  conversationIdSchema,
  requireOwnConversation,
  requireSession,
  sessionQuery,
} from "./require_session.ts";
import { voicePlatform } from "../_shared/http/realtime/platforms.ts";

const transcriptSchema = z.object({
  conversation_id: z.string(),
  status: z.string().openapi({ description: "initiated, in-progress, processing, done or failed" }),
  messages: z.array(z.object({
    role: z.enum(["user", "agent"]),
    text: z.string(),
    time_in_call_secs: z.number(),
  })),
}).openapi("VoiceTranscript");

const route: ApiRoute = {
  method: "get",
  path: "/voice-widget/chat-by-conversation",
  operationId: "getVoiceTranscript",
  summary: "Read the transcript of a voice session",
  tags: ["Voice widget"],
  security: SESSION,
  request: { query: z.object({ ...sessionQuery, conversation_id: conversationIdSchema }) },
  responses: {
    200: {
      description: "The transcript so far",
      ...json(transcriptSchema, {
        conversation_id: "conv_01jx3k5m7n9p",
        status: "done",
        messages: [{ role: "agent", text: "Hello, how can I help?", time_in_call_secs: 0 }],
      }),
    },
    ...errorResponses([400, 401, 403, 404, 429, 502]),
  },
};

/**
 * `GET /voice-widget/chat-by-conversation` reads the session's conversation from the voice platform. Fails with
 * `unauthorized`, `forbidden`, `validation_failed`, `not_found`, `rate_limit_exceeded` or `service_unavailable`.
 */
export function registerGetChatByConversation(app: App): void {
  addRoute(app, route, async (c) => {
    const session = await requireSession(c);
    const conversationId = readConversationId(c.req.query("conversation_id"));
    const { config, apiKey } = voicePlatform(c);
    await requireOwnConversation(c, session, conversationId);
    const transcript = await sessionTranscript(config, { conversationId, agentId: session.agentId, apiKey });
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

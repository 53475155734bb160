import { readChatSettings, requestPerson } from "../_shared/db/widgets/conversations.ts";
import { AppError } from "../_shared/errors.ts";
import type { ApiRoute } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { VISITOR } from "../_shared/http/app/security.ts";
import { limitVisitors } from "../_shared/http/guards/limits.ts";
import { requireVisitor } from "../_shared/http/guards/require_conversation.ts";
import { chooseTexts } from "../_shared/widgets/choose_texts.ts";
import { chatConfigSchema } from "../_shared/widgets/widget_config.ts";
import { conversationParams } from "./conversation_route.ts";

/** Requests for a person in ten minutes. Only the first one of a conversation has an effect. */
const REQUESTS = { what: "chat_handoff", windowS: 600, perAddress: 60 };
const PER_CONVERSATION = 10;

const route: ApiRoute = {
  method: "post",
  path: "/widget/conversations/{conversation_id}/handoff",
  operationId: "requestPerson",
  summary: "Ask for a person",
  description:
    "As the visitor. No machine replies in this conversation any more, and the company's members are " +
    "notified. May be repeated; only the first request has an effect.",
  tags: ["Chat widget"],
  security: VISITOR,
  request: { params: conversationParams },
  responses: {
    204: { description: "Members know" },
    ...errorResponses([401, 403, 409, 429], [403]),
  },
};

/**
 * `POST /widget/conversations/{conversation_id}/handoff` asks for a person. Fails with `unauthorized`, `forbidden`,
 * `conversation_closed` or `rate_limit_exceeded`.
 */
export function registerPostHandoff(app: App): void {
  addRoute(app, route, async (c) => {
    const conversation = await requireVisitor(c);
    const { conversationId } = conversation;
    await limitVisitors(c, { ...REQUESTS, perSubject: { id: conversationId, limit: PER_CONVERSATION } });
    const { sql, conversations } = c.var.services;
    const { config, language } = (await readChatSettings(sql, conversation))!;
    const { texts } = chooseTexts("chat", chatConfigSchema.parse(config), language ?? undefined);
    const outcome = await requestPerson(sql, { ...conversation, text: texts.person_requested! });
    if (outcome === "closed") {
      throw new AppError("conversation_closed", "This conversation is closed; open a new one");
    }
    conversations.wake();
    return c.body(null, 204);
  });
}

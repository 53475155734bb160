import { z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import type { Actor } from "../_shared/db/access/audit.ts";
import { postMessage, type PostOutcome, postReply } from "../_shared/db/widgets/conversations.ts";
import { badFormat, missingField } from "../_shared/errors.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { CONVERSATION } from "../_shared/http/app/security.ts";
import { limitVisitors } from "../_shared/http/guards/limits.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { machineReply } from "../_shared/widgets/machine_reply.ts";
import { type KnownConversation, requireConversation } from "../_shared/http/guards/require_conversation.ts";
import { messageTextSchema } from "../_shared/widgets/conversation_rules.ts";
import { newContentFields, readContent } from "../_shared/widgets/message_content.ts";
import { findAutomaticReply } from "../_shared/widgets/quick_replies.ts";
import {
  conversationParams,
  MESSAGE_EXAMPLE,
  operatorQuery,
  sentMessageSchema,
} from "./conversation_route.ts";
import { respondPosted } from "./respond_posted.ts";
import { senderSchema } from "../_shared/widgets/sender.ts";

/** Messages per minute of a visitor. */
const MESSAGES = { windowS: 60, perAddress: 300, perConversation: 30 };

const newMessageSchema = z.object({
  client_message_id: z.uuid({ error: "a UUID" }),
  text: messageTextSchema.optional().openapi({
    description: "Required, but beside a card or a file of the company",
  }),
  quick_reply: z.boolean({ error: "true or false" }).optional().openapi({
    description: "Of a visitor: the text is a quick reply of the widget, whose automatic reply follows",
  }),
  ...newContentFields,
  media: z.object({ media_id: z.guid({ error: "the media_id of a file of yours" }) }).optional().openapi({
    description: "A file of `POST …/media`. This, `card` and `quick_replies` are for the company's key",
  }),
  sender: senderSchema.optional().openapi({
    description: "The writer, as the visitor sees them; with a key only",
  }),
}).openapi("MessageRequest");

type NewMessage = z.infer<typeof newMessageSchema>;

const route: ApiRoute = {
  method: "post",
  path: "/widget/conversations/{conversation_id}/messages",
  operationId: "sendMessage",
  summary: "Write a message",
  description:
    "As the visitor with the visitor's token, as an operator with `access_key`, the company's own key. A " +
    "repeated `client_message_id` returns the first message and adds none. Where the widget's assistant searches, " +
    "its reply is stored with the visitor's message; an agent's reply follows within seconds.",
  tags: ["Chat widget"],
  security: CONVERSATION,
  request: {
    params: conversationParams,
    query: z.object(operatorQuery),
    body: jsonBody(newMessageSchema, {
      client_message_id: "3f2b8a1e-6c4d-4e5f-9a0b-1c2d3e4f5a6b",
      text: "Where is my order?",
    }),
  },
  responses: {
    200: {
      description: "The stored message",
      ...json(sentMessageSchema, { message: MESSAGE_EXAMPLE }),
    },
    ...errorResponses([400, 401, 403, 404, 409, 413, 429], [403]),
  },
};

/**
 * `POST /widget/conversations/{conversation_id}/messages` adds a message. Fails with `unauthorized`,
 * `validation_failed`, `forbidden`, `not_found`, `conversation_closed`, `rate_limit_exceeded` or `quota_exceeded`.
 */
export function registerPostMessages(app: App): void {
  addRoute(app, route, async (c) => {
    const conversation = await requireConversation(c, { withAssistant: true });
    const message = checkFields(newMessageSchema, (await readJson(c)).value);
    await limitVisitor(c, conversation);
    const { by } = conversation;
    return respondPosted(
      c,
      await (by === null
        ? postOfVisitor(c, conversation, message)
        : postOfCompany(c, conversation, message, by)),
    );
  });
}

const OF_COMPANY = ["card", "quick_replies", "media", "sender"] as const;

async function postOfVisitor(
  c: AppContext,
  conversation: KnownConversation,
  message: NewMessage,
): Promise<PostOutcome | undefined> {
  for (const field of OF_COMPANY) {
    if (message[field] !== undefined) throw badFormat(field, "", "nothing: it is for the company's key");
  }
  const { text, client_message_id: clientMessageId, quick_reply } = message;
  if (text === undefined) throw missingField("text");
  const { sql } = c.var.services;
  const automatic = quick_reply ? await findAutomaticReply(sql, conversation, text) : undefined;
  const reply = automatic ?? await machineReply(sql, conversation, text);
  return await postMessage(sql, { ...conversation, text, clientMessageId }, reply);
}

async function postOfCompany(
  c: AppContext,
  conversation: KnownConversation,
  { client_message_id: clientMessageId, media, sender, ...message }: NewMessage,
  by: Actor,
): Promise<PostOutcome | undefined> {
  const { sql } = c.var.services;
  const given = { ...message, media: media && { id: media.media_id, field: "media.media_id" } };
  const { text, content } = await readContent(sql, conversation.companyId, given);
  const reply = {
    ...conversation,
    text,
    clientMessageId,
    content: { ...content, ...(sender && { sender }) },
  };
  return await postReply(sql, reply, by);
}

async function limitVisitor(c: AppContext, { author, conversationId }: KnownConversation): Promise<void> {
  if (author !== "visitor") return;
  const { windowS, perAddress, perConversation } = MESSAGES;
  await limitVisitors(c, {
    what: "message",
    windowS,
    perAddress,
    perSubject: { id: conversationId, limit: perConversation },
  });
}

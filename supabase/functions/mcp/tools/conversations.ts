import { z } from "@hono/zod-openapi";
import {
  listMessages,
  messageSchema,
  messagesSchema,
} from "../../_shared/http/company/conversation_messages.ts";
import {
  conversationFilters,
  conversationParams,
  conversationsSchema,
  listConversations,
  requireInboxConversation,
} from "../../_shared/http/company/conversations.ts";
import { defineTool, limitArgument, pageArguments, READS } from "../tool.ts";

export const listConversationsTool = defineTool({
  name: "list_conversations",
  title: "List conversations",
  description: "Lists chats of website visitors and WhatsApp threads, the last message first.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "conversations",
  input: z.strictObject({ ...conversationFilters, limit: limitArgument }),
  output: conversationsSchema,
  run: async ({ services, caller, args }) => await listConversations(services, caller.companyId, args),
});

const markedSchema = messageSchema.extend({
  untrusted: z.boolean().openapi({ description: "A person outside the company wrote it" }),
});

export const listMessagesTool = defineTool({
  name: "list_messages",
  title: "List the messages of a conversation",
  description:
    "Lists what was written in a conversation, the newest first. `untrusted` marks messages of people.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "conversations",
  input: z.strictObject({ ...conversationParams.shape, ...pageArguments }),
  output: messagesSchema.extend({ messages: z.array(markedSchema) }),
  async run(
    { services, caller: { companyId }, args: { conversation_id: conversationId, ...page } },
  ) {
    const conversation = await requireInboxConversation(services.sql, { companyId, conversationId });
    const { messages, next } = await listMessages(services, conversation, { companyId, ...page });
    const marked = messages.map((message) => ({ ...message, untrusted: message.author === "contact" }));
    return { messages: marked, next };
  },
});

import { z } from "@hono/zod-openapi";
import {
  checkReplyMedia,
  queuedAnswer,
  readReply,
  replySchema,
} from "../../_shared/contacts/reply_request.ts";
import { sha256Hex } from "../../_shared/crypto/digests.ts";
import type { Actor } from "../../_shared/db/access/audit.ts";
import type { InboxConversation } from "../../_shared/db/contacts/inbox.ts";
import { queueReply } from "../../_shared/db/contacts/replies.ts";
import {
  type ConversationIds,
  type MessageSender,
  postReply,
} from "../../_shared/db/widgets/conversations.ts";
import { AppError, badFormat, missingField } from "../../_shared/errors.ts";
import type { App, AppContext } from "../../_shared/http/app/context.ts";
import { currentTrace } from "../../_shared/telemetry/trace_context.ts";
import { uuidv7 } from "../../_shared/values/uuid.ts";
import { type GivenMessage, newContentFields, readContent } from "../../_shared/widgets/message_content.ts";
import { memberWriter, senderSchema } from "../../_shared/widgets/sender.ts";
import { pictureUrl } from "../../_shared/http/company/picture_url.ts";
import { conversationParams, requireInboxConversation } from "../../_shared/http/company/conversations.ts";
import { addCompanyRoute } from "../company_route.ts";

const { text, media, reply_to } = replySchema.shape;

const bodySchema = z.strictObject({
  text,
  media: media.openapi({ description: "Instead of `text`. In a chat a file of yours, by `media_id`" }),
  reply_to,
  ...newContentFields,
  sender: senderSchema.optional().openapi({
    description:
      "The writer, as the visitor of a chat sees them; with a key only, because members have names",
  }),
  client_message_id: z.guid({ error: "a UUID" }).optional().openapi({
    description: "Made by you; the same id again sends nothing more",
  }),
}).openapi("InboxReply");

const responseSchema = z.object({
  message_id: z.guid(),
  status: z.enum(["sent", "queued"]).openapi({ description: "`queued`: it leaves within a second or so" }),
  window_closes_at: z.iso.datetime().nullable(),
}).openapi("SentInboxReply");

type Reply = z.infer<typeof bodySchema>;

/** The member who replies, and the company. */
interface Replying {
  companyId: string;
  by: Actor;
}

/** `POST …/conversations/{conversation_id}/reply` writes to a visitor or a person. */
export function registerPostReply(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/conversations/{conversation_id}/reply",
    operationId: "replyInConversation",
    summary: "Reply in a conversation",
    description:
      "In a chat a text, a file or a card, with quick replies if you like; on WhatsApp a text or a file, while the window " +
      "is open.",
    params: conversationParams,
    body: { schema: bodySchema, example: { text: "Your order arrives tomorrow." } },
    response: {
      schema: responseSchema,
      example: {
        message_id: "0192f8b0-1111-7222-8333-444455556666",
        status: "queued",
        window_closes_at: "2026-12-02T09:00:00Z",
      },
    },
    refusals: [409, 422],
  }, async (c, { caller: { companyId, by }, params: { conversation_id: conversationId }, body }) => {
    const conversation = await requireInboxConversation(c.get("services").sql, { companyId, conversationId });
    const reply = conversation.kind === "chat" ? replyInChat : replyOnWhatsApp;
    return await reply(c, conversation, body, { companyId, by });
  });
}

async function replyInChat(
  c: AppContext,
  { conversation_id: conversationId }: InboxConversation,
  body: Reply,
  { companyId, by }: Replying,
): Promise<z.input<typeof responseSchema>> {
  const services = c.get("services");
  const { client_message_id: clientMessageId = null, reply_to, media, sender, ...given } = body;
  if (sender !== undefined && !by.actor.startsWith("key:")) {
    throw badFormat("sender", "", "nothing: a member writes under the own name");
  }
  if (reply_to !== undefined) {
    throw badFormat("reply_to", "", "nothing: a chat shows no message above another");
  }
  const ids = { companyId, conversationId };
  const { text, content } = await readContent(services.sql, companyId, {
    ...given,
    media: media && readFileOf(media),
  });
  const writer = sender ?? await senderOf(c, ids, by);
  const posted = await postReply(services.sql, {
    ...{ ...ids, clientMessageId, text },
    content: { ...content, ...(writer && { sender: writer }) },
  }, by);
  if (!posted?.message) throw new AppError("conversation_closed", "This conversation is closed");
  services.conversations.wake();
  return { message_id: posted.message.id, status: "sent", window_closes_at: null };
}

/** Returns a member who writes in a chat, as its visitor sees them; null where they see no name. */
async function senderOf(
  c: AppContext,
  chat: ConversationIds,
  { actor }: Actor,
): Promise<MessageSender | null> {
  const writer = await memberWriter(c.get("services"), chat, actor);
  if (writer === null) return null;
  return { name: writer.name, avatar_url: pictureUrl(c, writer.picture) ?? undefined };
}

/** Returns the file of a reply in a chat. Throws `validation_failed` unless it is one of the company's. */
function readFileOf({ link, id, media_id, caption }: NonNullable<Reply["media"]>): GivenMessage["media"] {
  for (const [field, value] of Object.entries({ link, id })) {
    if (value !== undefined) {
      throw badFormat(`media.${field}`, "", "nothing: a chat takes files by their media_id");
    }
  }
  if (media_id === undefined) throw missingField("media.media_id");
  return { id: media_id, field: "media.media_id", caption };
}

async function replyOnWhatsApp(
  c: AppContext,
  { conversation_id: subject, number, user_id: userId, sender_id: senderId }: InboxConversation,
  { client_message_id: key, card, quick_replies, sender, ...body }: Reply,
  { companyId, by }: Replying,
): Promise<z.input<typeof responseSchema>> {
  for (const [field, value] of Object.entries({ card, quick_replies, sender })) {
    if (value !== undefined) throw badFormat(field, "", "nothing: it is for chats of your website");
  }
  const person = { number: number ?? undefined, user_id: userId ?? undefined, recipient_id: senderId! };
  const reply = readReply({ ...person, ...body });
  const { sql, tracing } = c.get("services");
  await checkReplyMedia(sql, companyId, reply);
  const once = key === undefined
    ? null
    : { endpoint: `conversations/${subject}`, key, requestHash: sha256Hex(JSON.stringify(body)) };
  const queued = await queueReply(
    sql,
    companyId,
    { id: uuidv7(), ...reply, trace: currentTrace(tracing) },
    once,
    { ...by, subject },
  );
  const { message_id, window_closes_at } = queuedAnswer(queued, reply) as {
    message_id: string;
    window_closes_at: string;
  };
  return { message_id, status: "queued", window_closes_at };
}

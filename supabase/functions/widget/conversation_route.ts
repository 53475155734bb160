import { z } from "@hono/zod-openapi";
import { badFormat } from "../_shared/errors.ts";
import { accessKeyParam } from "../_shared/http/guards/access_key.ts";
import { contentFields } from "../_shared/widgets/message_content.ts";

/** A message as the API document shows it. */
export const messageSchema = z.object({
  id: z.uuid(),
  sequence: z.number().int().min(1).openapi({
    description: "Counts from 1 within the conversation, without gaps",
  }),
  author: z.enum(["visitor", "operator", "system"]),
  text: z.string(),
  created_at: z.iso.datetime(),
  client_message_id: z.uuid().nullable(),
  ...contentFields,
}).openapi("Message");

/** The response to a message that was sent. */
export const sentMessageSchema = z.object({ message: messageSchema }).openapi("SentMessage");

/** A visitor's message, for the API document. */
export const MESSAGE_EXAMPLE: z.input<typeof messageSchema> = {
  id: "0192f8ab-5061-7273-8e8f-9a0b1c2d3e4f",
  sequence: 1,
  author: "visitor",
  text: "Where is my order?",
  created_at: "2026-12-01T09:00:00Z",
  client_message_id: "3f2b8a1e-6c4d-4e5f-9a0b-1c2d3e4f5a6b",
};

export const statusSchema = z.enum(["open", "closed"]);

/** The id in a conversation's path. */
export const conversationParams = z.object({ conversation_id: z.uuid() });

/** The company's own key, for operators. Visitors send `Authorization: Bearer <visitor_token>` instead. */
export const operatorQuery = { access_key: accessKeyParam };

/** The cursor of a reader in a conversation, for the API document. */
export const sequenceParam = z.string().regex(/^\d{0,9}$/).optional().openapi({
  description: "The number of the last message that was read",
  example: "12",
});

/** Parses the number of a message; undefined for none. Throws `validation_failed`. */
export function readSequence(field: string, given: string | undefined): number | undefined {
  if (given === undefined || given === "") return undefined;
  if (!/^\d{1,9}$/.test(given)) throw badFormat(field, given, "the number of a message");
  return Number(given);
}

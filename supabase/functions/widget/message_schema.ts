import { z } from "@hono/zod-openapi";

/** A message as the API document shows it. */
export const messageSchema = z.object({
  id: z.uuid(),
  sequence: z.number().int().min(1).openapi({ description: "Counts within the conversation, without gaps" }),
  author: z.enum(["visitor", "operator", "system"]),
  text: z.string(),
  created_at: z.iso.datetime(),
  client_message_id: z.uuid().nullable(),
}).openapi("Message");

export const statusSchema = z.enum(["open", "closed"]);

/** The id in a conversation's path. */
export const conversationParams = z.object({ conversation_id: z.uuid() });

/** The key of an operator; a visitor sends `Authorization: Bearer <visitor_token>` instead. */
export const operatorQuery = { access_key: z.string().optional() };

/** How a conversation's routes are entered, for the API document. */
export const conversationSecurity = [{ visitorToken: [] }, {}];

import * as z from "zod/mini";

// zod would otherwise try to make functions from text, which the page's policy forbids and the console would show.
z.config({ jitless: true });

/** A message of a conversation, as the API tells it. */
export const messageSchema = z.object({
  id: z.string(),
  sequence: z.number(),
  author: z.enum(["visitor", "operator", "system"]),
  text: z.string(),
  created_at: z.string(),
  client_message_id: z.nullish(z.string()),
});

export const statusSchema = z.enum(["open", "closed"]);

export const conversationSchema = z.object({ conversation_id: z.string(), visitor_token: z.string() });

export const historySchema = z.object({ status: statusSchema, messages: z.array(messageSchema) });

export const postedSchema = z.object({ message: messageSchema });

export const typingSchema = z.object({ author: z.string(), is_typing: z.boolean() });

export const statusEventSchema = z.object({ status: statusSchema });

/** What the page around the chat answers to `get_widget`. */
export const widgetAnswerSchema = z.object({
  type: z.literal("widget"),
  widget: z.object({
    widget_id: z.string(),
    company_name: z.string(),
    language: z.string(),
    texts: z.record(z.string(), z.string()),
    colors: z.unknown(),
    features: z.object({ typing: z.boolean() }),
    access_key: z.string(),
    base_url: z.url({ protocol: /^https?$/ }),
  }),
});

/** What the page around the chat answers to `get_customer`. */
export const customerAnswerSchema = z.object({
  type: z.literal("customer"),
  customer: z.object({ company_id: z.string(), company_name: z.string(), user_id: z.string() }),
});

/** What it answers to `get_state`: what was stored here, and whether the visitor can see the chat. */
export const stateAnswerSchema = z.object({
  type: z.literal("state"),
  state: z.object({ stored: z.record(z.string(), z.string()), is_shown: z.boolean() }),
});

/** What it answers to `get_page`: the page the visitor is on; null where it is not known. */
export const pageAnswerSchema = z.object({
  type: z.literal("page"),
  page: z.nullable(z.object({ url: z.nullable(z.string()), title: z.string() })),
});

/** What it says by itself. */
export const updateSchema = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["outbound:shown", "outbound:hidden"]) }),
  z.object({ type: z.literal("outbound:stored"), name: z.string(), value: z.nullable(z.string()) }),
]);

export type Message = z.infer<typeof messageSchema>;
export type ChatWidget = z.infer<typeof widgetAnswerSchema>["widget"];
export type Customer = z.infer<typeof customerAnswerSchema>["customer"];
export type Page = NonNullable<z.infer<typeof pageAnswerSchema>["page"]>;
export type StoredState = z.infer<typeof stateAnswerSchema>["state"];

import * as z from "zod/mini";

// Otherwise zod tries to compile functions from text; the page's policy forbids that and the console reports it.
z.config({ jitless: true });

/** A message of a conversation, as the API sends it. */
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

/** The embedding page's response to `get_widget`. */
export const widgetResponseSchema = z.object({
  type: z.literal("widget"),
  widget: z.object({
    widget_id: z.string(),
    company_name: z.string(),
    language: z.string(),
    texts: z.record(z.string(), z.string()),
    appearance: z.optional(z.unknown()),
    colors: z.unknown(),
    dark_colors: z.optional(z.unknown()),
    logo: z.optional(z.unknown()),
    features: z.object({ typing: z.boolean() }),
    access_key: z.string(),
    base_url: z.url({ protocol: /^https?$/ }),
  }),
});

/** The embedding page's response to `get_customer`. */
export const customerResponseSchema = z.object({
  type: z.literal("customer"),
  customer: z.object({ company_id: z.string(), company_name: z.string(), user_id: z.string() }),
});

/** Its response to `get_state`: the stored values, and whether the visitor can see the chat. */
export const stateResponseSchema = z.object({
  type: z.literal("state"),
  state: z.object({ stored: z.record(z.string(), z.string()), is_shown: z.boolean() }),
});

/** Its response to `get_page`: the page that the visitor is on; null if unknown. */
export const pageResponseSchema = z.object({
  type: z.literal("page"),
  page: z.nullable(
    z.object({ url: z.nullable(z.string()), title: z.string(), identity: z.optional(z.unknown()) }),
  ),
});

/** The messages it sends without a request. */
export const updateSchema = z.union([
  z.object({ type: z.enum(["outbound:shown", "outbound:hidden"]) }),
  z.object({ type: z.literal("outbound:stored"), name: z.string(), value: z.nullable(z.string()) }),
]);

export type Message = z.infer<typeof messageSchema>;
export type ChatWidget = z.infer<typeof widgetResponseSchema>["widget"];
export type Customer = z.infer<typeof customerResponseSchema>["customer"];
export type Page = NonNullable<z.infer<typeof pageResponseSchema>["page"]>;
export type StoredState = z.infer<typeof stateResponseSchema>["state"];

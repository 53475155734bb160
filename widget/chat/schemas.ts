import * as z from "zod/mini";

// Otherwise zod tries to compile functions from text; the page's policy forbids that and the console reports it.
z.config({ jitless: true });

/** The file of a message. */
export const fileSchema = z.object({
  file_name: z.string(),
  content_type: z.string(),
  bytes: z.number(),
  width: z.optional(z.number()),
  height: z.optional(z.number()),
});

const cardSchema = z.object({
  title: z.string(),
  text: z.optional(z.string()),
  image_url: z.optional(z.string()),
  image_media_id: z.optional(z.string()),
  buttons: z.array(z.object({ label: z.string(), url: z.string() })),
});

/** A message of a conversation, as the API sends it. */
export const messageSchema = z.object({
  id: z.string(),
  sequence: z.number(),
  author: z.enum(["visitor", "operator", "system"]),
  text: z.string(),
  created_at: z.string(),
  client_message_id: z.nullish(z.string()),
  file: z.optional(fileSchema),
  card: z.optional(cardSchema),
  quick_replies: z.optional(z.array(z.string())),
  sender: z.optional(z.object({
    name: z.string(),
    avatar_url: z.optional(z.url({ protocol: /^https?$/ })),
    is_machine: z.optional(z.boolean()),
  })),
  sources: z.optional(z.array(z.object({ title: z.string(), url: z.optional(z.string()) }))),
  notice: z.optional(z.string()),
});

export const statusSchema = z.enum(["open", "closed"]);

export const conversationSchema = z.object({ conversation_id: z.string(), visitor_token: z.string() });

export const historySchema = z.object({
  status: statusSchema,
  messages: z.array(messageSchema),
  visitor_read: z._default(z.number(), 0),
  operator_read: z._default(z.number(), 0),
  has_email: z._default(z.boolean(), false),
  rating: z._default(z.nullable(z.number()), null),
});

export const postedSchema = z.object({ message: messageSchema });

export const linkSchema = z.object({ url: z.string(), expires_at: z.string() });

export const typingSchema = z.object({
  author: z.string(),
  is_typing: z.boolean(),
  name: z.optional(z.string()),
});

export const readSchema = z.object({ author: z.string(), sequence: z.number() });

export const consentSchema = z.object({ text: z.string(), link: z.nullable(z.url({ protocol: /^https$/ })) });

export const statusEventSchema = z.object({ status: statusSchema });

/** A time at which members reply. */
const openTimeSchema = z.object({ from: z.string(), until: z.string() });

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
    // An API of the release before has none of the fields that may be missing.
    features: z.object({
      typing: z.boolean(),
      files: z.optional(z.boolean()),
      emoji: z.optional(z.boolean()),
      rating: z._default(z.boolean(), false),
    }),
    quick_replies: z.optional(z.array(z.string())),
    open_times: z._default(z.nullable(z.array(openTimeSchema)), null),
    ask_email_after_minutes: z._default(z.nullable(z.number()), null),
    consent: z._default(z.nullable(consentSchema), null),
    assistant: z.optional(z.object({ mode: z.string() })),
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

export type ChatFile = z.infer<typeof fileSchema>;
export type ChatCard = z.infer<typeof cardSchema>;
export type FileLink = z.infer<typeof linkSchema>;
export type Message = z.infer<typeof messageSchema>;
export type OpenTime = z.infer<typeof openTimeSchema>;
export type Sender = NonNullable<Message["sender"]>;
export type Consent = z.infer<typeof consentSchema>;
export type ChatWidget = z.infer<typeof widgetResponseSchema>["widget"];
export type Customer = z.infer<typeof customerResponseSchema>["customer"];
export type Page = NonNullable<z.infer<typeof pageResponseSchema>["page"]>;
export type StoredState = z.infer<typeof stateResponseSchema>["state"];

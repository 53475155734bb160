import { z } from "@hono/zod-openapi";

/** Optional fields may be null: many clients write that for what they leave out. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** Refuses other fields: a misspelt part would otherwise be missing from the template without notice. */
const onlyThese = <Shape extends z.ZodRawShape>(shape: Shape, allowed: string) =>
  z.strictObject(shape, {
    error: (issue) => issue.code === "unrecognized_keys" ? `only ${allowed} here` : "an object",
  });

const text = z.string({ error: "text" });
const texts = z.array(text, { error: "an array of texts" });

const headerSchema = onlyThese({
  format: z.enum(["TEXT", "IMAGE", "VIDEO", "DOCUMENT", "LOCATION"], {
    error: "one of TEXT, IMAGE, VIDEO, DOCUMENT, LOCATION",
  }),
  text: optional(text).openapi({
    type: ["string", "null"],
    maxLength: 60,
    description: "TEXT only; at most one variable, {1}",
  }),
  example: optional(
    z.object({ header_handle: optional(texts), header_text: optional(texts) }, { error: "an object" }),
  ).openapi({
    description:
      "Media formats: `header_handle` with one sample, a handle of the platform, an https URL of a file, or `media:` and the id of a file of yours. TEXT with a " +
      "variable: `header_text` with one value; made up when absent",
    example: { header_handle: ["https://example.com/sample.jpg"] },
  }),
}, "format, text and example");

const bodySchema = onlyThese({
  text: optional(text).openapi({
    type: ["string", "null"],
    maxLength: 1024,
    description: "Required, except in AUTHENTICATION, whose text is the platform's. Variables: {1}, {2}, …",
  }),
  example: optional(
    z.object({ body_text: optional(z.array(texts, { error: "an array of arrays of texts" })) }, {
      error: "an object",
    }),
  ).openapi({
    description: "A value for each variable; made up when absent",
    example: { body_text: [["Ana", "A-1001"]] },
  }),
  add_security_recommendation: optional(z.boolean({ error: "true or false" })).openapi({
    description: "AUTHENTICATION only",
  }),
}, "text, example and, in AUTHENTICATION, add_security_recommendation");

const footerSchema = onlyThese({
  text: optional(text).openapi({ type: ["string", "null"], maxLength: 60, description: "Static" }),
  code_expiration_minutes: optional(
    z.int({ error: "a whole number" }).min(1, "1 to 90").max(90, "1 to 90"),
  ).openapi({ description: "AUTHENTICATION only" }),
}, "text or, in AUTHENTICATION, code_expiration_minutes");

const buttonSchema = onlyThese({
  type: z.enum(["URL", "QUICK_REPLY", "COPY_CODE", "FLOW", "OTP"], {
    error: "URL, QUICK_REPLY, COPY_CODE or FLOW, or in AUTHENTICATION OTP",
  }),
  text: optional(text).openapi({
    type: ["string", "null"],
    maxLength: 25,
    description: "The label; the platform writes that of COPY_CODE",
  }),
  url: optional(text).openapi({
    type: ["string", "null"],
    maxLength: 2000,
    description: "URL only; may end in the variable {1}",
  }),
  example: optional(z.union([text, texts.length(1)], { error: "text, or an array of one" })).openapi({
    description: "What the URL could look like, or of COPY_CODE a code; made up when absent",
  }),
  otp_type: optional(z.enum(["COPY_CODE"], { error: "COPY_CODE" })).openapi({ description: "OTP only" }),
  flow_id: optional(text).openapi({
    type: ["string", "null"],
    description: "FLOW only: the form's id at the platform",
  }),
  flow_action: optional(z.enum(["navigate", "data_exchange"], { error: "navigate or data_exchange" }))
    .openapi({
      description: "FLOW only; `navigate` when absent",
    }),
  navigate_screen: optional(text).openapi({
    type: ["string", "null"],
    description: "FLOW only: the form's first screen",
  }),
}, "type, text, url, example, otp_type, flow_id, flow_action and navigate_screen").openapi(
  "TemplateButtonRequest",
);

const offerSchema = onlyThese({
  text: optional(text).openapi({
    type: ["string", "null"],
    maxLength: 16,
    description: "Such as: Expiring offer!",
  }),
  has_expiration: optional(z.boolean({ error: "true or false" })).openapi({
    description: "Each message names its end; needs a COPY_CODE button",
  }),
}, "text and has_expiration");

const cardSchema = onlyThese({
  HEADER: headerSchema,
  BODY: optional(bodySchema),
  BUTTONS: optional(z.array(buttonSchema, { error: "an array" }).max(2, "at most 2 buttons in a card")),
}, "HEADER, BODY and BUTTONS").openapi("TemplateCardRequest");

const carouselSchema = onlyThese({
  cards: z.array(cardSchema, { error: "an array of cards" }).min(2, "2 to 10 cards").max(10, "2 to 10 cards"),
}, "cards");

const componentsSchema = onlyThese({
  HEADER: optional(headerSchema),
  BODY: bodySchema,
  FOOTER: optional(footerSchema),
  LIMITED_TIME_OFFER: optional(offerSchema).openapi({ description: "MARKETING only" }),
  BUTTONS: optional(z.array(buttonSchema, { error: "an array" }).max(10, "at most 10 buttons")),
  CAROUSEL: optional(carouselSchema).openapi({
    description: "MARKETING only: 2 to 10 cards with the same parts, beside a BODY and nothing else",
  }),
}, "HEADER, BODY, FOOTER, LIMITED_TIME_OFFER, BUTTONS and CAROUSEL").openapi("TemplateComponentsRequest");

/** A request that passes every check, for the API document. */
export const TEMPLATE_REQUEST_EXAMPLE = {
  company_id: "0193a1b2-0000-4000-8000-0123456789ab",
  waba_id: "102290129340398",
  name_template: "order_ready",
  language_template: "en_US",
  category_template: "UTILITY" as const,
  components_template: {
    HEADER: { format: "TEXT" as const, text: "News of your order" },
    BODY: { text: "Hello {1}, your order {2} is ready.", example: { body_text: [["Ana", "A-1001"]] } },
    FOOTER: { text: "Example Traders" },
    BUTTONS: [
      { type: "URL" as const, text: "Follow it", url: "https://example.com/orders/{1}" },
      { type: "QUICK_REPLY" as const, text: "Stop updates" },
    ],
  },
};

/** The body of `POST /admin/chatapp/create/template`. Messages say the expected format. */
export const templateRequestSchema = z.object({
  company_id: text.min(1, "the id of your company").max(64, "at most 64 characters"),
  waba_id: text.min(1, "the id of a business account of your company").max(64, "at most 64 characters"),
  name_template: text.max(512, "at most 512 characters")
    .regex(/^[a-z0-9_]+$/, "lowercase letters, digits and underscores")
    .openapi({ example: "order_ready" }),
  language_template: text.regex(
    /^[a-z]{2,3}(_[A-Z]{2,4})?$/,
    "a language code such as es or en_US",
  ).openapi({ example: "en_US" }),
  category_template: z.enum(["MARKETING", "UTILITY", "AUTHENTICATION"], {
    error: "one of MARKETING, UTILITY, AUTHENTICATION",
  }),
  components_template: componentsSchema,
}).openapi("TemplateRequest");

export type TemplateRequest = z.infer<typeof templateRequestSchema>;
export type HeaderRequest = z.infer<typeof headerSchema>;
export type BodyRequest = z.infer<typeof bodySchema>;
export type FooterRequest = z.infer<typeof footerSchema>;
export type ButtonRequest = z.infer<typeof buttonSchema>;
export type CardRequest = z.infer<typeof cardSchema>;
export type ComponentsRequest = z.infer<typeof componentsSchema>;

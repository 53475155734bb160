import { z } from "zod";

/** The platform accepts these words in either case and returns them in upper case. */
function keyword<const T extends readonly [string, ...string[]]>(words: T) {
  return z.string().transform((word) => word.toUpperCase()).pipe(z.enum(words));
}

const namedExamples = z.array(z.strictObject({ param_name: z.string(), example: z.string().min(1) }));

const exampleSchema = z.strictObject({
  header_handle: z.array(z.string().min(1)).optional(),
  header_text: z.array(z.string().min(1)).optional(),
  header_text_named_params: namedExamples.optional(),
  body_text: z.array(z.array(z.string().min(1))).optional(),
  body_text_named_params: namedExamples.optional(),
});

const buttonSchema = z.strictObject({
  type: keyword(["URL", "QUICK_REPLY", "PHONE_NUMBER", "COPY_CODE", "OTP", "FLOW"]),
  text: z.string().min(1).optional(),
  url: z.string().optional(),
  phone_number: z.string().optional(),
  example: z.union([z.string(), z.array(z.string())]).optional(),
  otp_type: keyword(["COPY_CODE"]).optional(),
  flow_id: z.string().regex(/^\d+$/).optional(),
  flow_action: z.enum(["navigate", "data_exchange"]).optional(),
  navigate_screen: z.string().min(1).optional(),
});

const plainComponent = {
  format: keyword(["TEXT", "IMAGE", "VIDEO", "DOCUMENT", "LOCATION"]).optional(),
  text: z.string().optional(),
  example: exampleSchema.optional(),
  buttons: z.array(buttonSchema).optional(),
  add_security_recommendation: z.boolean().optional(),
  code_expiration_minutes: z.number().int().min(1).max(90).optional(),
};

const cardSchema = z.strictObject({
  components: z.array(
    z.strictObject({ type: keyword(["HEADER", "BODY", "BUTTONS"]), ...plainComponent }),
  ).min(1),
});

const componentSchema = z.strictObject({
  type: keyword(["HEADER", "BODY", "FOOTER", "BUTTONS", "LIMITED_TIME_OFFER", "CAROUSEL"]),
  ...plainComponent,
  limited_time_offer: z.strictObject({ text: z.string(), has_expiration: z.boolean().optional() }).optional(),
  cards: z.array(cardSchema).optional(),
});

/** The body of `POST /{waba_id}/message_templates`. */
export const templateBodySchema = z.strictObject({
  name: z.string(),
  language: z.string().regex(/^[a-z]{2,3}(_[A-Z]{2,4})?$/, "must be a language code such as en or en_US"),
  category: keyword(["MARKETING", "UTILITY", "AUTHENTICATION"]),
  parameter_format: keyword(["POSITIONAL", "NAMED"]).default("POSITIONAL"),
  message_send_ttl_seconds: z.number().int().optional(),
  components: z.array(componentSchema).min(1),
});

export type TemplateBody = z.infer<typeof templateBodySchema>;
export type TemplateBodyComponent = z.infer<typeof componentSchema>;
export type TemplateBodyCard = z.infer<typeof cardSchema>;
export type TemplateBodyButton = z.infer<typeof buttonSchema>;

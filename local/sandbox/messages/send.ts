import { z } from "zod";
import type { SandboxAccount, SandboxNumber } from "../options.ts";
import type { Person } from "../people/person.ts";
import { FREE_FORM, mediaSchema } from "./free_form.ts";

/** A send that passed every check. */
export interface Send {
  account: SandboxAccount;
  number: SandboxNumber;
  body: SendBody;
  /** The recipient. */
  person: Person;
  /** Where it was posted. */
  edge: "messages" | "marketing_messages";
}

const filled = z.string().min(1);

const media = mediaSchema({});

const parameterSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string(), parameter_name: filled.optional() }),
  z.strictObject({ type: z.literal("image"), image: media }),
  z.strictObject({ type: z.literal("video"), video: media }),
  z.strictObject({
    type: z.literal("document"),
    document: mediaSchema({ filename: filled.max(240).optional() }),
  }),
  z.strictObject({
    type: z.literal("location"),
    location: z.strictObject({
      latitude: z.union([filled, z.number()]),
      longitude: z.union([filled, z.number()]),
      name: z.string().optional(),
      address: z.string().optional(),
    }),
  }),
  z.strictObject({
    type: z.literal("currency"),
    parameter_name: filled.optional(),
    currency: z.strictObject({
      fallback_value: filled,
      code: z.string().length(3),
      amount_1000: z.number().int(),
    }),
  }),
  z.strictObject({
    type: z.literal("date_time"),
    parameter_name: filled.optional(),
    date_time: z.strictObject({ fallback_value: filled }),
  }),
  z.strictObject({ type: z.literal("payload"), payload: filled.max(256) }),
  z.strictObject({ type: z.literal("coupon_code"), coupon_code: filled.max(15) }),
  z.strictObject({
    type: z.literal("action"),
    action: z.strictObject({
      flow_token: filled.optional(),
      flow_action_data: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
  z.strictObject({
    type: z.literal("limited_time_offer"),
    limited_time_offer: z.strictObject({ expiration_time_ms: z.number().int().positive() }),
  }),
]);

/** The platform accepts a component's `type` in either case. */
function lowerCaseType(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("type" in value)) return value;
  return typeof value.type === "string" ? { ...value, type: value.type.toLowerCase() } : value;
}

const index = z.union([z.number().int(), z.string().regex(/^\d+$/).transform(Number)]);

/** The components of a message and of a card alike. */
const plainComponents = [
  z.strictObject({ type: z.literal("header"), parameters: z.array(parameterSchema) }),
  z.strictObject({ type: z.literal("body"), parameters: z.array(parameterSchema) }),
  z.strictObject({
    type: z.literal("button"),
    sub_type: z.string().transform((kind) => kind.toLowerCase()).pipe(
      z.enum(["url", "quick_reply", "copy_code", "flow"]),
    ),
    index,
    parameters: z.array(parameterSchema),
  }),
] as const;

const cardSchema = z.strictObject({
  card_index: index,
  components: z.array(z.preprocess(lowerCaseType, z.discriminatedUnion("type", [...plainComponents]))),
});

const componentSchema = z.preprocess(
  lowerCaseType,
  z.discriminatedUnion("type", [
    ...plainComponents,
    z.strictObject({ type: z.literal("limited_time_offer"), parameters: z.array(parameterSchema) }),
    z.strictObject({ type: z.literal("carousel"), cards: z.array(cardSchema) }),
  ]),
);

const common = {
  messaging_product: z.literal("whatsapp"),
  recipient_type: z.literal("individual").optional(),
  to: z.string().optional(),
  /** A user id. */
  recipient: z.string().optional(),
  biz_opaque_callback_data: z.string().max(512).optional(),
  recipient_identity_key_hash: filled.optional(),
  context: z.strictObject({ message_id: filled }).optional(),
  /** Of the marketing endpoint only. */
  product_policy: z.enum(["CLOUD_API_FALLBACK", "STRICT"]).optional(),
  message_activity_sharing: z.boolean().optional(),
};

const templateSchema = z.strictObject({
  ...common,
  type: z.literal("template"),
  template: z.strictObject({
    name: filled,
    language: z.strictObject({ code: filled, policy: z.literal("deterministic").optional() }),
    components: z.array(componentSchema).optional(),
  }),
});

/** The body of a send; unknown fields are refused. */
export const sendBodySchema = z.discriminatedUnion("type", [
  templateSchema,
  z.strictObject({ ...common, type: z.literal("text"), text: FREE_FORM.text }),
  z.strictObject({ ...common, type: z.literal("image"), image: FREE_FORM.image }),
  z.strictObject({ ...common, type: z.literal("audio"), audio: FREE_FORM.audio }),
  z.strictObject({ ...common, type: z.literal("video"), video: FREE_FORM.video }),
  z.strictObject({ ...common, type: z.literal("document"), document: FREE_FORM.document }),
  z.strictObject({ ...common, type: z.literal("sticker"), sticker: FREE_FORM.sticker }),
  z.strictObject({ ...common, type: z.literal("reaction"), reaction: FREE_FORM.reaction }),
]);

/** The types of messages that the sandbox accepts. */
export const MESSAGE_TYPES = ["template", ...Object.keys(FREE_FORM)];

export type SendBody = z.infer<typeof sendBodySchema>;
export type FreeFormBody = Exclude<SendBody, { type: "template" }>;
export type TemplateSend = z.infer<typeof templateSchema>["template"];
export type SendComponent = z.infer<typeof componentSchema>;
export type SendCard = z.infer<typeof cardSchema>;
export type SendParameter = z.infer<typeof parameterSchema>;

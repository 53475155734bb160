import { z } from "zod";
import type { SandboxAccount, SandboxNumber } from "../options.ts";

/** A send that passed every check. */
export interface Send {
  account: SandboxAccount;
  number: SandboxNumber;
  body: SendBody;
  /** The digits of the recipient's number. */
  to: string;
}

const filled = z.string().min(1);

/** Media by link; this simulator has no uploads, so no `id` can be known. */
const media = z.strictObject({
  id: z.never({ error: "there is no uploaded media with this id" }).optional(),
  link: z.url({ protocol: /^https$/, error: "must be an https link" }).max(2000),
});

const parameterSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string(), parameter_name: filled.optional() }),
  z.strictObject({ type: z.literal("image"), image: media }),
  z.strictObject({ type: z.literal("video"), video: media }),
  z.strictObject({
    type: z.literal("document"),
    document: media.extend({ filename: filled.max(240).optional() }),
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
]);

/** The platform accepts a component's `type` in either case. */
function lowerCaseType(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("type" in value)) return value;
  return typeof value.type === "string" ? { ...value, type: value.type.toLowerCase() } : value;
}

const componentSchema = z.preprocess(
  lowerCaseType,
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("header"), parameters: z.array(parameterSchema) }),
    z.strictObject({ type: z.literal("body"), parameters: z.array(parameterSchema) }),
    z.strictObject({
      type: z.literal("button"),
      sub_type: z.string().transform((kind) => kind.toLowerCase()).pipe(
        z.enum(["url", "quick_reply", "copy_code"]),
      ),
      index: z.union([z.number().int(), z.string().regex(/^\d+$/).transform(Number)]),
      parameters: z.array(parameterSchema),
    }),
  ]),
);

const common = {
  messaging_product: z.literal("whatsapp"),
  recipient_type: z.literal("individual").optional(),
  to: z.string(),
  biz_opaque_callback_data: z.string().max(512).optional(),
  recipient_identity_key_hash: filled.optional(),
  context: z.strictObject({ message_id: filled }).optional(),
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

const textSchema = z.strictObject({
  ...common,
  type: z.literal("text"),
  text: z.strictObject({ body: filled.max(4096), preview_url: z.boolean().optional() }),
});

/** The body of a send; unknown fields are refused. */
export const sendBodySchema = z.discriminatedUnion("type", [templateSchema, textSchema]);

export type SendBody = z.infer<typeof sendBodySchema>;
export type TemplateSend = z.infer<typeof templateSchema>["template"];
export type SendComponent = z.infer<typeof componentSchema>;
export type SendParameter = z.infer<typeof parameterSchema>;

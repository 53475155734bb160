import { z } from "zod";

const filled = z.string().min(1);

/** The id of the message that is answered. */
const context = filled.optional();

const file = {
  context,
  caption: filled.max(1024).optional(),
  mime_type: filled.optional(),
  /** The bytes; a small sample without it. */
  base64: z.base64().optional(),
};

/** The body of `POST /sandbox/phones/{number}/messages`: what a person sends. */
export const inboundBodySchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: filled.max(4096), context }),
  /** Presses the quick reply with this label of a template message; of the latest one that has it without `context`. */
  z.strictObject({
    type: z.literal("button"),
    text: filled,
    /** Distinguishes buttons with the same label. */
    payload: filled.optional(),
    context,
  }),
  z.strictObject({ type: z.literal("image"), ...file }),
  z.strictObject({ type: z.literal("audio"), ...file }),
  z.strictObject({ type: z.literal("video"), ...file }),
  z.strictObject({ type: z.literal("document"), ...file, filename: filled.optional() }),
  z.strictObject({ type: z.literal("sticker"), ...file }),
  z.strictObject({
    type: z.literal("location"),
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
    name: filled.optional(),
    address: filled.optional(),
    context,
  }),
  z.strictObject({ type: z.literal("contacts"), name: filled, phone: filled, context }),
  /** Reacts to a message; to the latest one without `message_id`. An empty emoji takes the reaction back. */
  z.strictObject({ type: z.literal("reaction"), emoji: z.string(), message_id: filled.optional() }),
  z.strictObject({ type: z.literal("unsupported") }),
]);

export type InboundBody = z.infer<typeof inboundBodySchema>;

/** A message that a person sent, as the page shows it. */
export interface InboundMessage {
  id: string;
  /** The person's number, in digits. */
  number: string;
  waba_id: string;
  phone_number_id: string;
  /** The business that it went to. */
  sender: { name: string; number: string };
  at: string;
  /** The platform's type: `text`, `button`, `system` … */
  type: string;
  /** Its content, for people. */
  text: string;
  /** The message that it answers. */
  context: string | null;
}

import { z } from "@hono/zod-openapi";
import { isOneLine, WITHOUT_CONTROLS } from "../control_characters.ts";

const LONGEST_NAME = 200;

/** Optional fields may be null: many clients write that for what they leave out. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** One line of text that is not empty, without the spaces around it. */
export const text = (max: number) =>
  z.string({ error: "text" }).trim().min(1, "text that is not empty").max(max, `at most ${max} characters`)
    .refine(isOneLine, WITHOUT_CONTROLS);

/** The fields that requests of every channel have besides their recipients. */
export const commonFields = {
  recipient_id: text(LONGEST_NAME).openapi({
    description:
      "The sender: its id or its phone number. In a bulk request an unknown label means the default sender.",
  }),
  notification_type: z.enum(["marketing", "transactional", "utility"], {
    error: "one of marketing, transactional, utility",
  }),
  campaign_name: text(LONGEST_NAME).openapi({ example: "Autumn orders" }),
  name_event: optional(text(LONGEST_NAME)).openapi({
    description: "The conversation flow to start",
    type: "string",
  }),
  datetime_sending: optional(z.string({ error: "YYYY-MM-DDTHH:MM:SS" })).openapi({
    description: "YYYY-MM-DDTHH:MM:SS in `timezone`; absent means now",
    type: "string",
  }),
  timezone: optional(z.string({ error: "an IANA timezone name such as Europe/Madrid" })).openapi({
    description: "IANA timezone name; UTC when absent",
    type: "string",
  }),
};

type CommonFields = z.infer<z.ZodObject<typeof commonFields>>;

/** A request to notify somebody, whatever the channel. */
export interface NotificationRequest extends CommonFields {
  bulk: boolean;
  /** As given; in a bulk request each is looked into on its own. */
  contacts: unknown[];
}

/** A body in nested form with its recipients found. */
export interface NestedBody {
  /** The whole body, which references look into second. */
  root: Record<string, unknown>;
  bulk: boolean;
  contacts: unknown[];
}

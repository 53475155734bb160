import { z } from "@hono/zod-openapi";
import { type ContactMessage, MESSAGE_STATUSES } from "../../_shared/db/contacts/contact_messages.ts";

/** A message as the API returns it. */
export const messageSchema = z.object({
  message_id: z.guid(),
  direction: z.enum(["in", "out"]).openapi({ description: "`in`: from the person" }),
  purpose: z.enum(["reply", "opt_out_confirmation"]),
  sender_id: z.guid(),
  number: z.string().nullable(),
  user_id: z.string().nullable().openapi({ description: "The platform's id of a person" }),
  kind: z.string().openapi({
    description: "`text`, `button`, `interactive`, `image`, `audio`, `location` …",
  }),
  text: z.string().nullable().openapi({ description: "As a person reads it: the text, a label, a caption" }),
  content: z.record(z.string(), z.unknown()).nullable().openapi({ description: "The rest, by kind" }),
  status: z.enum(MESSAGE_STATUSES),
  platform_message_id: z.string().nullable(),
  context_message_id: z.string().nullable().openapi({
    description: "The platform's id of the message that it replies to",
  }),
  campaign_id: z.guid().nullable(),
  notification_id: z.guid().nullable(),
  error_code: z.string().nullable(),
  error_reason: z.string().nullable(),
  at: z.iso.datetime(),
}).openapi("ContactMessage");

/** Returns a message in the API's names. */
export function describeMessage({ id, at, ...message }: ContactMessage): z.input<typeof messageSchema> {
  return { message_id: id, ...message, at: at.toISOString() };
}

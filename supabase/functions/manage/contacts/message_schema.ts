import { z } from "@hono/zod-openapi";
import { withAuthors } from "../../_shared/contacts/message_authors.ts";
import { type ContactMessage, MESSAGE_STATUSES } from "../../_shared/db/contacts/contact_messages.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { attachmentSchema } from "../../_shared/http/company/attachment_schema.ts";
import { authorFields } from "../../_shared/http/company/author_schemas.ts";
import type { Services } from "../../_shared/services.ts";

/** A message as the API returns it. */
export const messageSchema = z.object({
  message_id: z.guid(),
  direction: z.enum(["in", "out"]).openapi({ description: "`in`: from the person" }),
  purpose: z.enum(["reply", "opt_out_confirmation"]),
  ...authorFields,
  sender_id: z.guid(),
  number: z.string().nullable(),
  user_id: z.string().nullable().openapi({ description: "The platform's id of a person" }),
  kind: z.string().openapi({
    description: "`text`, `button`, `interactive`, `image`, `audio`, `location` …",
  }),
  text: z.string().nullable().openapi({ description: "As a person reads it: the text, a label, a caption" }),
  content: z.record(z.string(), z.unknown()).nullable().openapi({ description: "The rest, by kind" }),
  attachment: attachmentSchema,
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

/** Returns messages in the API's names. */
export async function describeMessages(
  services: Pick<Services, "sql" | "memberNames">,
  companyId: string,
  messages: ContactMessage[],
): Promise<z.input<typeof messageSchema>[]> {
  const stored = messages.map((message) => ({ ...message, isOurs: message.direction === "out" }));
  const authored = await withAuthors(services, { companyId, theirs: "contact" }, stored);
  return authored.map(({ id, ...message }) => ({
    ...showRow(messageSchema, { message_id: id, ...message }),
    at: message.at.toISOString(),
  }));
}

import { z } from "@hono/zod-openapi";
import { ATTACHMENT_ERRORS, ATTACHMENT_STATES } from "../../db/contacts/contact_messages.ts";
import { orNull } from "../../values/or_null.ts";

/** The file of a person's message. */
export const attachmentSchema = orNull(
  z.object({
    state: z.enum(ATTACHMENT_STATES).openapi({
      description: "`waiting`: it is fetched soon, or again; `on_platform`: the first download fetches it",
    }),
    content_type: z.string().nullable(),
    bytes: z.number().int().nullable(),
    error_code: z.enum(ATTACHMENT_ERRORS).nullable().openapi({
      description: "Why it was not stored, or not yet",
    }),
    error_reason: z.string().nullable(),
  }).openapi("Attachment"),
).openapi({ description: "The file that the person sent" });

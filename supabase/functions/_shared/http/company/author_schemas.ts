import { z } from "@hono/zod-openapi";
import { renderedSchema } from "../../campaigns/dry_run/dry_run_response.ts";
import { AUTHOR_KINDS } from "../../contacts/message_authors.ts";
import { orNull } from "../../values/or_null.ts";

/** The author of something. */
export const authorSchema = z.object({
  kind: z.enum(AUTHOR_KINDS).openapi({
    description:
      "`contact` and `visitor` are people; `key`: a system of yours; `automatic`: the service itself",
  }),
  user_id: z.guid().nullable().openapi({ description: "Of a member" }),
  name: z.string().nullable().openapi({ description: "Of a member, as the list of assignees has it" }),
}).openapi("WrittenBy");

/** Of a message: its author, and what it replies to. */
export const authorFields = {
  written_by: orNull(authorSchema).openapi({ description: "Null where it was not recorded" }),
  replies_to: orNull(
    z.object({
      notification_id: z.guid(),
      campaign_id: z.guid(),
      campaign_name: z.string(),
      template_name: z.string().nullable(),
      sent_at: z.iso.datetime().nullable(),
      rendered: orNull(renderedSchema).openapi({
        description: "Null once it was erased, or its template is gone",
      }),
    }).openapi("RepliedMessage"),
  ).openapi({ description: "The message of a campaign that the person replies to" }),
};

import { z } from "@hono/zod-openapi";
import { AppError, badFormat } from "../../_shared/errors.ts";

/** A text that members insert into a conversation by its shortcut. */
export const cannedReplySchema = z.object({
  canned_reply_id: z.guid(),
  shortcut: z.string(),
  text: z.string(),
  created_by: z.string().openapi({ description: "As in the audit: `user:<id>` or `key:<id>`" }),
  updated_at: z.iso.datetime(),
}).openapi("CannedReply");

/** For the API document. */
export const CANNED_REPLY_EXAMPLE: z.input<typeof cannedReplySchema> = {
  canned_reply_id: "0192f8d4-1111-7222-8333-444455556666",
  shortcut: "hours",
  text: "Hello {{name}}, we are open from 9 to 18.",
  created_by: "user:0192f8b0-2222-4222-8333-444455556666",
  updated_at: "2026-12-01T09:00:00Z",
};

/** The id of a canned reply in a path. */
export const cannedReplyParams = z.object({ canned_reply_id: z.guid() });

const SHORTCUT = "1 to 40 small letters, digits, hyphens and underscores";
const TEXT = "1 to 4000 characters";

/** The fields of a canned reply that members set. */
export const cannedReplyBody = z.strictObject({
  shortcut: z.string({ error: SHORTCUT }).regex(/^[a-z0-9_-]{1,40}$/, SHORTCUT),
  text: z.string({ error: TEXT }).min(1, TEXT).max(4000, TEXT).openapi({
    description: "Variables are in double braces, such as `{{name}}`: who uses the text fills them in",
  }),
}).openapi("CannedReplyRequest");

/** The refusal of a shortcut that another canned reply has. */
export function shortcutTaken(shortcut: string): AppError {
  return badFormat("shortcut", shortcut, "a shortcut that no other canned reply has");
}

/** The refusal of an id that is no canned reply of the company. */
export function noCannedReply(): AppError {
  return new AppError("not_found", "Canned reply not found");
}

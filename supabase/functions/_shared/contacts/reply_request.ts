import { z } from "@hono/zod-openapi";
import { checkFields } from "../check_fields.ts";
import type { Sql } from "../db/driver/connect.ts";
import type { NewReply, QueuedReply } from "../db/contacts/replies.ts";
import { AppError, badFormat, keyReused, missingField } from "../errors.ts";
import { MEDIA_KINDS } from "../gateways/whatsapp/send_message.ts";
import { checkMedia } from "../media/check_media.ts";
import { NUMBER_OR_USER_ID, numberSchema, userIdSchema } from "./address.ts";
import { publicLinkSchema } from "./public_link.ts";

/** By the platform's rules. */
const MAX_TEXT_LENGTH = 4096;
const MAX_CAPTION_LENGTH = 1024;
const MAX_NAME_LENGTH = 240;
const WITH_CAPTION = new Set(["image", "video", "document"]);

const TEXT_FORMAT = `1 to ${MAX_TEXT_LENGTH} characters`;

const mediaSchema = z.object({
  type: z.enum(MEDIA_KINDS, { error: `one of ${MEDIA_KINDS.join(", ")}` }),
  link: publicLinkSchema.optional().openapi({ description: "The platform fetches the file from here" }),
  id: z.string({ error: "the platform's id of an uploaded file" }).regex(
    /^[\w:.=+/-]{1,256}$/,
    "the platform's id of an uploaded file",
  ).optional().openapi({ description: "The platform's id of a file that you have uploaded there" }),
  media_id: z.guid({ error: "the media_id of a file of yours" }).optional().openapi({
    description: "A file of `POST …/media`, of the kind that `type` says",
  }),
  caption: z.string().min(1).max(MAX_CAPTION_LENGTH, `at most ${MAX_CAPTION_LENGTH} characters`).optional()
    .openapi({ description: "Of an image, a video or a document" }),
  filename: z.string().min(1).max(MAX_NAME_LENGTH, `at most ${MAX_NAME_LENGTH} characters`).optional()
    .openapi({ description: "Of a document" }),
}).openapi("ReplyMedia");

/** The body of `POST …/contacts/replies`. */
export const replySchema = z.object({
  number: numberSchema.optional(),
  user_id: userIdSchema.optional(),
  recipient_id: z.string({ error: "the id or the number of one of your senders" }).min(1).max(100).optional()
    .openapi({ description: "The sender, by id or number. Without it, the one the person last wrote to." }),
  text: z.string({ error: TEXT_FORMAT }).min(1, TEXT_FORMAT).max(MAX_TEXT_LENGTH, TEXT_FORMAT).optional(),
  media: mediaSchema.optional(),
  reply_to: z.guid({ error: "the message_id of a message of this person" }).optional().openapi({
    description: "The message that it replies to, shown above it",
  }),
}).openapi("Reply", { ...NUMBER_OR_USER_ID, not: { required: ["text", "media"] } });

/** Reads a reply. Throws `validation_failed`. */
export function readReply(body: Record<string, unknown>): Omit<NewReply, "id"> {
  const { number, user_id, recipient_id, text, media, reply_to } = checkFields(replySchema, body);
  if (number === undefined && user_id === undefined) throw missingField("number");
  if (text === undefined && media === undefined) throw missingField("text");
  if (text !== undefined && media !== undefined) {
    throw badFormat("media", media, "either text or media; the text beside a file is its caption");
  }
  return {
    number: number ?? null,
    user_id: user_id ?? null,
    recipient_id: recipient_id ?? null,
    reply_to: reply_to ?? null,
    ...(media === undefined ? { kind: "text", text: text!, content: null } : readMedia(media)),
  };
}

function readMedia(
  { type, link, id, media_id, caption, filename }: z.infer<typeof mediaSchema>,
): Pick<NewReply, "kind" | "text" | "content"> {
  const named = Object.entries({ link, id, media_id }).filter(([, value]) => value !== undefined);
  if (named.length === 0) throw missingField("media.link");
  if (named.length > 1) {
    throw badFormat(`media.${named[1]![0]}`, named[1]![1], "one of link, id and media_id");
  }
  if (caption !== undefined && !WITH_CAPTION.has(type)) {
    throw badFormat("media.caption", caption, `none: files of type ${type} have no caption`);
  }
  if (filename !== undefined && type !== "document") {
    throw badFormat("media.filename", filename, "none: only documents have a file name");
  }
  return { kind: type, text: caption ?? null, content: { link, id, media_id, filename } };
}

/** Checks the file of a reply, if it is one of the company's. Throws `validation_failed`. */
export async function checkReplyMedia(
  sql: Sql,
  companyId: string,
  { kind, content }: Pick<NewReply, "kind" | "content">,
): Promise<void> {
  const mediaId = content?.media_id;
  if (typeof mediaId !== "string") return;
  await checkMedia(sql, { companyId, mediaId, kind, field: "media.media_id" });
}

/** Returns the refusal of a reply to a person who last wrote too long ago, or never. */
function windowClosed(lastMessageAt: Date | null, closedAt: Date | null): AppError {
  const since = lastMessageAt === null
    ? "This person has not written to this sender"
    : "This person last wrote to this sender more than 24 hours ago";
  return new AppError(
    "window_closed",
    `${since}, so the platform takes templates only: send one with POST /notify, and reply when the person has written`,
    { details: { last_message_at: isoOf(lastMessageAt), closed_at: isoOf(closedAt) } },
  );
}

function isoOf(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

/**
 * Returns the response to a reply that was queued, now or before. Throws `validation_failed`, `sender_locked`, `window_closed`
 * and `idempotency_key_reused`.
 */
export function queuedAnswer(
  { outcome, answer, reason, last_message_at, window_closes_at }: QueuedReply,
  { recipient_id, reply_to }: { recipient_id: string | null; reply_to: string | null },
): Record<string, unknown> {
  switch (outcome) {
    case "queued":
    case "replayed":
      return answer!;
    case "key_reused":
      throw AppError.from(keyReused());
    case "unknown_sender":
      throw badFormat("recipient_id", recipient_id, "the id or the number of one of your senders");
    case "unknown_message":
      throw badFormat(
        "reply_to",
        reply_to,
        "the message_id of a message between this person and this sender",
      );
    case "sender_locked":
      throw new AppError("sender_locked", `The platform has locked the sender's account: ${reason}`, {
        details: { reason },
      });
    case "window_closed":
      throw windowClosed(last_message_at, window_closes_at);
  }
}

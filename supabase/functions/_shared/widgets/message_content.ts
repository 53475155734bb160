import { z } from "@hono/zod-openapi";
import { checkFields } from "../check_fields.ts";
import { publicLinkSchema } from "../contacts/public_link.ts";
import { findMediaFile } from "../db/media/media_files.ts";
import type { MessageContent } from "../db/widgets/conversations.ts";
import type { Sql } from "../db/driver/connect.ts";
import { badFormat, missingField } from "../errors.ts";
import {
  isOneLine,
  isPlainText,
  ONE_LINE,
  PLAIN_TEXT,
  WITHOUT_CONTROLS,
} from "../values/control_characters.ts";
import { messageTextSchema } from "./conversation_rules.ts";

const MAX_QUICK_REPLIES = 10;
const MAX_BUTTONS = 3;

/** One line of a message's content, such as the label of a button. */
const line = (max: number) =>
  z.string({ error: `1 to ${max} characters` }).trim().min(1, `1 to ${max} characters`)
    .max(max, `1 to ${max} characters`).refine(isOneLine, `one line of ${WITHOUT_CONTROLS}`)
    .openapi({ pattern: ONE_LINE });

/** A text that a visitor sends by pressing it. */
export const quickReplySchema = line(80);

/** Several of them, each once. */
const quickRepliesSchema = z.array(quickReplySchema).min(1, "at least one")
  .max(MAX_QUICK_REPLIES, `at most ${MAX_QUICK_REPLIES}`)
  .refine((texts) => new Set(texts).size === texts.length, "each text once");

/** A card as the API takes it and messages show it. */
export const cardSchema = z.strictObject({
  title: line(200),
  text: z.string({ error: "text" }).trim().min(1, "1 to 1000 characters").max(1000, "1 to 1000 characters")
    .refine(isPlainText, WITHOUT_CONTROLS).optional().openapi({ pattern: PLAIN_TEXT }),
  image_url: publicLinkSchema.optional().openapi({
    description: "The visitor's browser fetches it",
    example: "https://shop.example/shoes.jpg",
  }),
  image_media_id: z.guid({ error: "the media_id of an image of yours" }).optional().openapi({
    description: "Instead of `image_url`: an image of `POST …/media`",
  }),
  buttons: z.array(
    z.strictObject({
      label: line(40),
      url: publicLinkSchema.openapi({ example: "https://shop.example/shoes" }),
    }),
  )
    .max(MAX_BUTTONS, `at most ${MAX_BUTTONS}`).default([]),
}).openapi("ChatCard");

/** The file of a message, as messages show it. */
export const fileSchema = z.object({
  media_id: z.guid(),
  file_name: z.string(),
  content_type: z.string(),
  bytes: z.number().int(),
  width: z.number().int().optional().openapi({ description: "In pixels, of an image where it is known" }),
  height: z.number().int().optional(),
}).openapi("ChatFile");

/** The fields that a message shows beside its text, for the API document. */
export const contentFields = {
  file: fileSchema.optional(),
  quick_replies: z.array(z.string()).optional().openapi({
    description: "Texts that the visitor may press to send one of them",
  }),
  card: cardSchema.optional(),
  sender: z.object({
    name: z.string(),
    avatar_url: z.string().optional(),
    is_machine: z.boolean().optional().openapi({ description: "Whether a machine wrote it" }),
  }).openapi("ShownSender").optional().openapi({
    description: "Of an operator's message: the writer, where the visitor may know",
  }),
  sources: z.array(z.object({ title: z.string(), url: z.string().optional() })).optional().openapi({
    description: "Of a machine's reply: the company's documents that it has its text from",
  }),
  notice: z.literal("person_requested").optional().openapi({
    description: "Of a message of the system: what it is about",
  }),
};

/** The fields that a company may send beside the text, for bodies of requests. */
export const newContentFields = {
  quick_replies: quickRepliesSchema.optional().openapi({
    description: "Up to 10 short texts: the visitor presses one to send it",
  }),
  card: cardSchema.optional(),
};

/** A message of the company as a request gives it. */
export interface GivenMessage {
  text?: string | undefined;
  quick_replies?: string[] | undefined;
  card?: z.infer<typeof cardSchema> | undefined;
  /** The company's file; `field` is its name in the request. */
  media?: { id: string; field: string; caption?: string | undefined } | undefined;
}

/**
 * Returns the text of a company's message and what it has beside it. A card or a file stands in for a text: the text is
 * then the card's title, or the caption or the name of the file. Throws `validation_failed`.
 */
export async function readContent(
  sql: Sql,
  companyId: string,
  { text, quick_replies, card, media }: GivenMessage,
): Promise<{ text: string; content: MessageContent }> {
  if (card !== undefined && media !== undefined) throw badFormat("card", card, "either a card or a file");
  const file = media && await readFile(sql, companyId, media);
  if (card !== undefined) await checkImage(sql, companyId, card);
  const said = text ?? media?.caption ?? card?.title ?? file?.file_name;
  if (said === undefined) throw missingField("text");
  return {
    text: checkFields(textSchema, { text: said }).text,
    content: { ...(file && { file }), ...(card && { card }), ...(quick_replies && { quick_replies }) },
  };
}

const textSchema = z.object({ text: messageTextSchema });

async function readFile(
  sql: Sql,
  companyId: string,
  { id: mediaId, field }: NonNullable<GivenMessage["media"]>,
): Promise<z.infer<typeof fileSchema>> {
  const found = await findMediaFile(sql, { companyId, mediaId });
  if (found === undefined) throw badFormat(field, mediaId, "the media_id of a file of yours");
  const { media_id, content_type, bytes } = found;
  return { media_id, file_name: found.file_name ?? nameOfType(content_type), content_type, bytes };
}

/** Returns a name for a file without one: `image.png`. */
function nameOfType(type: string): string {
  const [kind, format = ""] = type.split("/");
  return `${kind}.${format.replace(/[^a-z0-9]/g, "").slice(0, 10)}`;
}

async function checkImage(
  sql: Sql,
  companyId: string,
  { image_url, image_media_id: mediaId }: z.infer<typeof cardSchema>,
): Promise<void> {
  if (mediaId === undefined) return;
  if (image_url !== undefined) {
    throw badFormat("card.image_url", image_url, "either image_url or image_media_id");
  }
  const found = await findMediaFile(sql, { companyId, mediaId });
  if (!found?.content_type.startsWith("image/")) {
    throw badFormat("card.image_media_id", mediaId, "the media_id of an image of yours");
  }
}

/** Returns the file that a message opens: its own, or the image of its card; undefined where it has none. */
export function mediaIdOf({ file, card }: MessageContent): string | undefined {
  const { media_id } = (file ?? {}) as { media_id?: string };
  const { image_media_id } = (card ?? {}) as { image_media_id?: string };
  return media_id ?? image_media_id;
}

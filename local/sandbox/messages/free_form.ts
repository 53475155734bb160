import { z } from "zod";

const filled = z.string().min(1);
const caption = filled.max(1024).optional();

/** Media by link or by the id of an upload: exactly one of the two. */
export function mediaSchema<T extends z.ZodRawShape>(more: T) {
  return z.strictObject({
    id: filled.optional(),
    link: z.url({ protocol: /^https$/, error: "must be an https link" }).max(2000).optional(),
    ...more,
  }).superRefine((media, context) => {
    const { id, link } = media as { id?: string; link?: string };
    if (id === undefined && link === undefined) {
      context.addIssue({ code: "custom", path: ["link"], message: "id or link is required" });
    } else if (id !== undefined && link !== undefined) {
      context.addIssue({ code: "custom", path: ["id"], message: "give either id or link" });
    }
  });
}

/** The fields of each type of message besides templates, by type. */
export const FREE_FORM = {
  text: z.strictObject({ body: filled.max(4096), preview_url: z.boolean().optional() }),
  image: mediaSchema({ caption }),
  audio: mediaSchema({ voice: z.boolean().optional() }),
  video: mediaSchema({ caption }),
  document: mediaSchema({ caption, filename: filled.max(240).optional() }),
  sticker: mediaSchema({}),
  /** An empty emoji takes the reaction back. */
  reaction: z.strictObject({ message_id: filled, emoji: z.string().max(64) }),
};

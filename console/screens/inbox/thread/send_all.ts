import type { ConversationPath } from "../inbox_data.ts";
import { sendReply, type SentFile } from "./outbox.ts";

/** WhatsApp shows a text beside these. */
const WITH_CAPTION = new Set(["image", "video", "document"]);

/**
 * Sends files and a text: the text is the caption of the first file that can have one, or else a message before them.
 * Returns whether the API took all.
 */
export async function sendAll(
  path: ConversationPath,
  { text, files, replyTo }: { text: string; files: SentFile[]; replyTo: string | undefined },
): Promise<boolean> {
  const captioned = files.find(({ kind }) => WITH_CAPTION.has(kind));
  const replies = [
    ...(text !== "" && captioned === undefined ? [{ text }] : []),
    ...files.map((media) => ({ media, text: media === captioned ? text : "" })),
  ];
  let isSent = true;
  for (const [index, reply] of replies.entries()) {
    isSent = await sendReply(path, { ...reply, replyTo: index === 0 ? replyTo : undefined }) && isSent;
  }
  return isSent;
}

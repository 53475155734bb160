import { z } from "@hono/zod-openapi";
import { firstNameOf, userOf } from "../contacts/message_authors.ts";
import { type PictureName, readMemberPicture } from "../db/media/member_pictures.ts";
import type { ConversationIds } from "../db/widgets/conversations.ts";
import { showsNames } from "../db/widgets/chat_people.ts";
import type { Services } from "../services.ts";
import { isOneLine, TRIMMED_LINE, WITHOUT_CONTROLS } from "../values/control_characters.ts";
import { isStorable } from "../values/storable_text.ts";

const MAX_NAME_LENGTH = 100;
const NAME = `one line of 1 to ${MAX_NAME_LENGTH} characters`;
const AVATAR = "an https address of at most 2000 characters";

/** The name of the writer, as visitors see it. */
export const senderNameSchema = z.string({ error: NAME }).max(MAX_NAME_LENGTH, NAME).trim().min(1, NAME)
  .refine((text) => isOneLine(text) && isStorable(text), WITHOUT_CONTROLS)
  .openapi({ pattern: TRIMMED_LINE, example: "Ana" });

/** The writer of a message of the company, as its own system says. */
export const senderSchema = z.strictObject({
  name: senderNameSchema,
  avatar_url: z.url({ protocol: /^https$/, error: AVATAR }).max(2000, AVATAR).optional().openapi({
    description: "An image; without one, the widget draws the initials",
    example: "https://shop.example/ana.png",
  }),
}).openapi("MessageSender");

/**
 * Returns the name under which the visitor of a chat sees a member, the first name. Null where the widget shows no names,
 * where the member has none, and for a key, which names the writer itself.
 */
export async function memberNameFor(
  { sql, memberNames }: Pick<Services, "sql" | "memberNames">,
  conversation: ConversationIds,
  actor: string,
): Promise<string | null> {
  const name = await firstNameOf(memberNames, actor);
  return name !== null && await showsNames(sql, conversation) ? name : null;
}

/** A member who writes in a chat, as its visitor sees them. */
export interface MemberWriter {
  name: string;
  /** Null where the member has none. */
  picture: PictureName | null;
}

/** Returns the writer of a member's message. Null where {@link memberNameFor} has no name. */
export async function memberWriter(
  services: Pick<Services, "sql" | "memberNames">,
  conversation: ConversationIds,
  actor: string,
): Promise<MemberWriter | null> {
  const userId = userOf(actor);
  const name = userId === undefined ? null : await memberNameFor(services, conversation, actor);
  if (userId === undefined || name === null) return null;
  const { companyId } = conversation;
  return { name, picture: await readMemberPicture(services.sql, { companyId, userId }) };
}

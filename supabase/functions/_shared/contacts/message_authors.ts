import { readSentMessages, type SentMessage } from "../db/campaigns/sent_messages.ts";
import type { Services } from "../services.ts";
import { type RenderedMessage, renderMessage, type SentComponent } from "../templates/render_message.ts";

/** The kinds of those who write messages. */
export const AUTHOR_KINDS = ["contact", "visitor", "member", "key", "automatic"] as const;

/** The author of a message. */
export interface WrittenBy {
  kind: typeof AUTHOR_KINDS[number];
  /** Of a member. */
  user_id: string | null;
  name: string | null;
}

/** The message of a campaign that a message of a person replies to. */
export interface RepliedMessage extends Omit<SentMessage, "message" | "components"> {
  /** As the person saw it; null once it was erased, or its template is gone. */
  rendered: RenderedMessage | null;
}

/** A message as it is stored. */
interface StoredMessage {
  /** Of the company: an operator's, a key's, or the service's own. */
  isOurs: boolean;
  purpose: "reply" | "opt_out_confirmation";
  actor: string | null;
  notification_id: string | null;
}

const ACTOR = /^(?:mcp:)?(user|key):(.+)$/;

/**
 * Adds to messages who wrote them, and the messages of campaigns that they reply to. A name that cannot be read now is null.
 *
 * @param theirs the kind of those who wrote the other messages
 */
export async function withAuthors<Message extends object>(
  { sql, memberNames }: Pick<Services, "sql" | "memberNames">,
  { companyId, theirs }: { companyId: string; theirs: "contact" | "visitor" },
  messages: (Message & StoredMessage)[],
): Promise<(Message & { written_by: WrittenBy | null; replies_to: RepliedMessage | null })[]> {
  const ids = [...new Set(messages.flatMap(({ notification_id: id }) => id ?? []))];
  const sent = await readSentMessages(sql, companyId, ids);
  const replied = new Map(sent.map((message) => [message.notification_id, describeSent(message)]));
  return await Promise.all(messages.map(async (message) => ({
    ...message,
    written_by: message.isOurs ? await authorOurs(memberNames, message) : unnamed(theirs),
    replies_to: replied.get(message.notification_id ?? "") ?? null,
  })));
}

/** Returns who wrote a message of the company; null where that was not recorded. */
export async function authorOurs(
  memberNames: Services["memberNames"],
  { purpose, actor }: Pick<StoredMessage, "purpose" | "actor">,
): Promise<WrittenBy | null> {
  if (purpose === "opt_out_confirmation") return unnamed("automatic");
  return actor === null ? null : await authorOf(memberNames, actor);
}

/** Returns the user id of the member that an actor is, as the audit has it; undefined for others. */
export function userOf(actor: string): string | undefined {
  const [, kind, id] = ACTOR.exec(actor) ?? [];
  return kind === "user" ? id : undefined;
}

/** Returns who an actor is, as the audit has it. */
export async function authorOf(memberNames: Services["memberNames"], actor: string): Promise<WrittenBy> {
  const [, kind, id = ""] = ACTOR.exec(actor) ?? [];
  if (kind !== "user") return unnamed(kind === "key" ? "key" : "automatic");
  const known = await memberNames.get(id).catch(() => null);
  return { kind: "member", user_id: id, name: known?.name ?? null };
}

/** Returns the first name of the member that an actor is, for visitors; null for others, and where it is not known now. */
export async function firstNameOf(
  memberNames: Services["memberNames"],
  actor: string,
): Promise<string | null> {
  const id = userOf(actor);
  const known = id === undefined ? null : await memberNames.get(id).catch(() => null);
  return known?.firstName ?? null;
}

/** Returns an author who has no name here. */
export function unnamed(kind: WrittenBy["kind"]): WrittenBy {
  return { kind, user_id: null, name: null };
}

function describeSent({ message, components, ...sent }: SentMessage): RepliedMessage {
  const isKept = components !== null && Array.isArray(message);
  return { ...sent, rendered: isKept ? renderMessage({ components }, message as SentComponent[]) : null };
}

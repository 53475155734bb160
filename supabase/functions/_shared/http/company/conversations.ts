import { z } from "@hono/zod-openapi";
import { authorOurs, unnamed, type WrittenBy } from "../../contacts/message_authors.ts";
import type { Sql } from "../../db/driver/connect.ts";
import {
  findInboxConversation,
  INBOX_KINDS,
  INBOX_STATES,
  type InboxConversation,
  type InboxIds,
  readInbox,
  readInboxContacts,
} from "../../db/contacts/inbox.ts";
import { AppError } from "../../errors.ts";
import { type Filters, testField } from "../app/list_page.ts";
import { showRow } from "../app/show_row.ts";
import type { Services } from "../../services.ts";
import { orNull } from "../../values/or_null.ts";
import { authorSchema } from "./author_schemas.ts";

/** The platform takes replies for so long after a message of the person. */
const WINDOW_MS = 24 * 3_600_000;

export const conversationParams = z.object({
  conversation_id: z.guid().openapi({
    description: "The conversation's id, as lists of conversations show it",
  }),
});

export const conversationSchema = z.object({
  conversation_id: z.guid(),
  kind: z.enum(INBOX_KINDS).openapi({ description: "`chat`: of a chat widget" }),
  state: z.enum(INBOX_STATES).openapi({ description: "`unanswered`: a person waits for a reply of yours" }),
  assigned_to: z.guid().nullable().openapi({ description: "The member who takes care of it" }),
  labels: z.array(z.string()),
  handoff_requested_at: z.iso.datetime().nullable().openapi({
    description: "Of a chat: when its visitor asked for a person instead of a machine",
  }),
  last_author: z.enum(["contact", "company"]),
  last_text: z.string().nullable().openapi({ description: "The first 200 characters" }),
  last_written_by: orNull(authorSchema).openapi({ description: "Null where it was not recorded" }),
  last_message_at: z.iso.datetime(),
  created_at: z.iso.datetime(),
  widget_id: z.guid().nullable().openapi({ description: "This and the page: of a chat" }),
  page_url: z.string().nullable(),
  page_title: z.string().nullable(),
  language: z.string().nullable(),
  email: z.string().nullable().openapi({
    description: "Where the visitor of a chat wants replies. Nothing confirms it",
  }),
  consent: orNull(
    z.object({ text: z.string(), link: z.string().nullable(), accepted_at: z.iso.datetime() })
      .openapi("AcceptedConsent"),
  ).openapi({ description: "What the visitor of a chat accepted before the first message" }),
  rating: orNull(
    z.object({
      rating: z.number().int().min(1).max(5),
      comment: z.string().nullable(),
      rated_at: z.iso.datetime(),
    }).openapi("ConversationRating"),
  ).openapi({ description: "The visitor's rating of a chat" }),
  sender_id: z.guid().nullable().openapi({ description: "This and the person: on WhatsApp" }),
  number: z.string().nullable(),
  user_id: z.string().nullable(),
  contact: orNull(
    z.object({ contact_id: z.guid(), name: z.string().nullable() }).openapi("ConversationContact"),
  ).openapi({ description: "The person; null where the company does not know who it is" }),
  window_closes_at: z.iso.datetime().nullable().openapi({
    description: "Until then the platform takes replies on WhatsApp; null while the person has not written",
  }),
}).openapi("InboxConversation");

export const CONVERSATION_EXAMPLE: z.input<typeof conversationSchema> = {
  conversation_id: "0192f8b1-1111-4222-8333-444455556666",
  kind: "whatsapp",
  state: "unanswered",
  assigned_to: null,
  labels: ["order"],
  handoff_requested_at: null,
  last_author: "contact",
  last_text: "Where is my order?",
  last_written_by: { kind: "contact", user_id: null, name: null },
  last_message_at: "2026-12-01T09:00:00Z",
  created_at: "2026-12-01T09:00:00Z",
  widget_id: null,
  page_url: null,
  page_title: null,
  language: null,
  email: null,
  consent: null,
  rating: null,
  sender_id: "0192f8a0-1111-4222-8333-444455556666",
  number: "34600111222",
  user_id: null,
  contact: { contact_id: "0192f8b1-2222-4222-8333-444455556666", name: "Ana Ruiz" },
  window_closes_at: "2026-12-02T09:00:00Z",
};

/** Microseconds since 1970 and an id: a conversation moves to the top with every message, so its id is no cursor. */
const CURSOR = /^(\d{1,16})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The length of a label. */
export const MAX_LABEL_LENGTH = 50;

/** The filters of the inbox. */
export const conversationFilters = {
  kind: z.enum(INBOX_KINDS, { error: `one of ${INBOX_KINDS.join(", ")}` }).optional().openapi({
    description: "`chat`: of a chat widget",
  }),
  state: z.enum(INBOX_STATES, { error: `one of ${INBOX_STATES.join(", ")}` }).optional().openapi({
    description: "`unanswered`: a person waits for a reply of yours",
  }),
  assigned_to: z.union([z.guid(), z.literal("none")], { error: "a member's user_id, or none" }).optional()
    .openapi({ description: "The user id of the member who takes care of it, or `none`", example: "none" }),
  label: z.string().max(MAX_LABEL_LENGTH).optional().openapi({
    description: "One of its labels",
    example: "order",
  }),
  contact_id: z.guid({ error: "the contact_id of a contact" }).optional().openapi({
    description: "Only those with this contact",
  }),
  after: z.string().regex(CURSOR, "the `next` of the page before").optional().openapi({
    example: "1764579600000000-0192f8b1-1111-4222-8333-444455556666",
    description: "The `next` of the page before",
  }),
};

export const conversationsSchema = z.object({
  conversations: z.array(conversationSchema),
  ...testField,
  next: z.string().nullable().openapi({
    description: "Give it as `after` to read on; null at the end",
  }),
}).openapi("InboxConversations");

type Reading = Pick<Services, "sql" | "memberNames">;

/** Returns a page of a company's chats and threads, the last message first. */
export async function listConversations(
  services: Reading,
  companyId: string,
  { kind, state, assigned_to: assignedTo, label, contact_id: contactId, after, limit }:
    & Filters<typeof conversationFilters>
    & { limit: number },
): Promise<z.input<typeof conversationsSchema>> {
  const [, sort_key, id] = CURSOR.exec(after ?? "") ?? [];
  const from = sort_key === undefined ? undefined : { sort_key, id: id! };
  const query = { companyId, kind, state, assignedTo, label, contactId, after: from, limit };
  const rows = await readInbox(services.sql, query);
  return {
    conversations: await showConversations(services, companyId, rows),
    next: cursorAfter(rows, limit),
  };
}

function cursorAfter(rows: InboxConversation[], limit: number): string | null {
  if (rows.length < limit) return null;
  const { sort_key, conversation_id } = rows.at(-1)!;
  return `${sort_key}-${conversation_id}`;
}

/** Returns conversations with who they are with, who wrote last, and the end of the window for free replies. */
export async function showConversations(
  services: Reading,
  companyId: string,
  rows: InboxConversation[],
): Promise<z.input<typeof conversationSchema>[]> {
  const contacts = await readInboxContacts(services.sql, companyId, rows);
  return await Promise.all(rows.map(async (row) => {
    const { last_inbound_at } = row;
    return showRow(conversationSchema, {
      ...row,
      last_written_by: await lastAuthor(services, row),
      contact: contacts.get(row.conversation_id) ?? null,
      window_closes_at: last_inbound_at && new Date(last_inbound_at.getTime() + WINDOW_MS),
    });
  }));
}

async function lastAuthor(
  { memberNames }: Reading,
  { kind, last_author, last_actor: actor, last_purpose: purpose }: InboxConversation,
): Promise<WrittenBy | null> {
  if (last_author === "company") return await authorOurs(memberNames, { purpose, actor });
  return unnamed(kind === "chat" ? "visitor" : "contact");
}

/** Returns the company's conversation with this id. Throws `not_found`. */
export async function requireInboxConversation(
  sql: Sql,
  ids: InboxIds,
): Promise<InboxConversation> {
  const found = await findInboxConversation(sql, ids);
  if (found === undefined) throw new AppError("not_found", "Conversation not found");
  return found;
}

import { useEffect, useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, may } from "../../data/company.ts";
import type { List } from "../../data/list.ts";
import { useLive } from "../../data/live/live.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { usePatches, useRows } from "../../data/rows.ts";
import {
  type Assignee,
  type ConversationNote,
  getContact,
  getConversation,
  type InboxConversation,
  type InboxMessage,
  listAssignees,
  listConversations,
  listHandoffs,
  listInboxMessages,
  listNotes,
  readConversation,
  type RequestedHandoff,
  type StoredContact,
} from "../../data/sdk.ts";
import { session } from "../../data/session/session.ts";
import { useVisible } from "../../data/live/visible.ts";
import { useThrottle } from "../../data/live/throttle.ts";

const PAGE = 50;

/** Events have no text of a message: the list is read after them, at most so often. */
const LIST_MS = 1000;

/** Of the conversation that is open, sooner. */
const THREAD_MS = 250;

/** The views of the inbox, as the address names them. */
export const VIEWS = ["waiting", "mine", "all", "closed", "calls"] as const;

export type View = typeof VIEWS[number];

/** The parameters of the SDK's functions for one conversation. */
export interface ConversationPath {
  company_id: string;
  conversation_id: string;
}

/** The filters of the list, as the address names them. */
export interface InboxFilters {
  kind?: string | undefined;
  label?: string | undefined;
  assigned_to?: string | undefined;
  contact_id?: string | undefined;
}

/** Reads the conversations of a view, the last message first. */
export function useConversations(view: View, narrowed: InboxFilters): List<InboxConversation> {
  const list = useRows(listConversations, "conversations", ({ conversation_id }) => conversation_id, {
    query: { ...narrowed, ...filtersOf(view) },
    limit: PAGE,
  });
  return usePatches(list, "conversation", "conversation_id", LIST_MS);
}

function filtersOf(view: View): { state?: string; assigned_to?: string | undefined } {
  if (view === "waiting") return { state: "unanswered" };
  if (view === "mine") return { assigned_to: session.value?.userId };
  return view === "closed" ? { state: "closed" } : {};
}

/** A conversation, with what only events say of it. */
export interface OpenConversation extends InboxConversation {
  /** Until when the visitor of a chat counts as typing. */
  contact_typing_until?: string | null | undefined;
}

/** Reads one conversation; events change it. */
export function useConversation(path: ConversationPath): Query<OpenConversation> {
  const conversation = useQuery<InboxConversation>(
    `conversation ${path.conversation_id}`,
    (signal) => ask(getConversation({ client: api(), path, signal })),
  );
  const [typingUntil, setTypingUntil] = useState<string | null>();
  const readAgain = useThrottle(conversation.reload, LIST_MS);
  useLive("conversation", (event) => {
    if (event.conversation_id !== path.conversation_id) return;
    const { contact_typing_until, ...change } = event as Partial<OpenConversation>;
    setTypingUntil(contact_typing_until);
    conversation.patch((known) => ({ ...known, ...change }));
    // Visitors rate chats that ended, and leave their address: events do not hold either.
    readAgain();
  });
  const { data } = conversation;
  return { ...conversation, data: data && { ...data, contact_typing_until: typingUntil } };
}

/** Reads the messages of a conversation, newest first. */
export function useMessages(path: ConversationPath, of: InboxConversation | undefined): List<InboxMessage> {
  const list = useRows(listInboxMessages, "messages", ({ message_id }) => message_id, {
    path: { ...path },
    limit: PAGE,
  });
  const readAgain = useThrottle(list.reload, THREAD_MS);
  useLive("conversation", (event) => {
    if (event.conversation_id === path.conversation_id) readAgain();
  });
  useLive("message", ({ message_id, sender_id, number, user_id, status }) => {
    if (list.patch(String(message_id), { status: String(status) })) return;
    if (of?.sender_id === sender_id && (of?.number === number || of?.user_id === user_id)) readAgain();
  });
  return list;
}

/** Shows the visitor of a chat that the last message was read, once the member sees it. */
export function useMarkRead(
  path: ConversationPath,
  of: InboxConversation | undefined,
  newest: InboxMessage | undefined,
) {
  const isSeen = useVisible();
  const isTheirs = of?.kind === "chat" && newest?.author === "contact" && may("operator");
  useEffect(() => {
    if (!isTheirs || !isSeen) return;
    void readConversation({ client: api(), path: { ...path }, body: { message_id: newest.message_id } });
  }, [isTheirs, isSeen, newest?.message_id]);
}

/** Reads what members noted about a conversation, newest first. */
export function useNotes(path: ConversationPath): List<ConversationNote> {
  const list = useRows(listNotes, "notes", ({ note_id }) => note_id, { path: { ...path }, limit: PAGE });
  const readAgain = useThrottle(list.reload, LIST_MS);
  useLive("conversation", (event) => {
    if (event.conversation_id === path.conversation_id) readAgain();
  });
  return list;
}

/** Reads the contact of a conversation, with its tags and attributes. */
export function useContactOf({ contact }: InboxConversation): StoredContact | undefined {
  const company_id = companyId();
  const contact_id = contact?.contact_id;
  const { data } = useQuery<StoredContact | undefined>(
    `contact ${company_id} ${contact_id}`,
    async (signal) =>
      contact_id && await ask(getContact({ client: api(), path: { company_id, contact_id }, signal })) ||
      undefined,
  );
  return data;
}

/** Reads who of the company may take care of conversations. */
export function useAssignees(): Assignee[] | undefined {
  const company_id = companyId();
  const { data } = useQuery(
    `assignees ${company_id}`,
    (signal) => ask(listAssignees({ client: api(), path: { company_id }, signal })),
  );
  return data?.members;
}

/** Reads the voice visitors who asked for a person, newest first. */
export function useHandoffs(): List<RequestedHandoff> {
  const list = useRows(listHandoffs, "handoffs", ({ handoff_id }) => handoff_id, { limit: PAGE });
  return usePatches(list, "handoff", "handoff_id", LIST_MS);
}

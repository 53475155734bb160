import { z } from "@hono/zod-openapi";
import { INBOX_KINDS, INBOX_STATES, type InboxConversation, readInbox } from "../../_shared/db/inbox.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import { addMemberRoute } from "../member_route.ts";
import {
  CONVERSATION_EXAMPLE,
  conversationParams,
  conversationSchema,
  describeConversation,
  requireInboxConversation,
} from "./conversation.ts";

/** Microseconds since 1970 and an id: a conversation moves to the top with every message, so its id is no place. */
const PLACE = /^(\d{1,16})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

const querySchema = z.object({
  kind: z.enum(INBOX_KINDS, { error: `one of ${INBOX_KINDS.join(", ")}` }).optional(),
  state: z.enum(INBOX_STATES, { error: `one of ${INBOX_STATES.join(", ")}` }).optional(),
  assigned_to: z.union([z.guid(), z.literal("none")], { error: "a member's user_id, or none" }).optional()
    .openapi({ example: "none" }),
  after: z.string().regex(PLACE, "the `next` of the page before").optional().openapi({
    example: "1764579600000000-0192f8b1-1111-4222-8333-444455556666",
    description: "The `next` of the page before",
  }),
  limit: pageFields.limit,
});

/** `GET …/conversations` lists chats and threads in one inbox, and `…/{conversation_id}` shows one. */
export function registerGetConversations(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/conversations",
    operationId: "listConversations",
    summary: "List conversations",
    description: "Chats of your widgets and what people write to your senders, the last message first.",
    role: "viewer",
    query: querySchema,
    response: {
      schema: z.object({
        conversations: z.array(conversationSchema),
        next: z.string().nullable().openapi({
          description: "Give it as `after` to read on; null at the end",
        }),
      }).openapi("InboxConversations"),
      example: { conversations: [CONVERSATION_EXAMPLE], next: null },
    },
  }, async (c, { member: { companyId }, query: { kind, state, assigned_to: assignedTo, after, limit } }) => {
    const [, place, id] = PLACE.exec(after ?? "") ?? [];
    const from = place === undefined ? undefined : { place, id: id! };
    const rows = await readInbox(c.get("services").sql, {
      ...{ companyId, kind, state, assignedTo, limit },
      after: from,
    });
    return { conversations: rows.map(describeConversation), next: nextOf(rows, limit) };
  });

  addMemberRoute(
    app,
    {
      method: "get",
      path: "/conversations/{conversation_id}",
      operationId: "getConversation",
      summary: "Show a conversation",
      role: "viewer",
      params: conversationParams,
      response: { schema: conversationSchema, example: CONVERSATION_EXAMPLE },
    },
    async (c, { member: { companyId }, params: { conversation_id: conversationId } }) =>
      describeConversation(await requireInboxConversation(c, { companyId, conversationId })),
  );
}

function nextOf(rows: InboxConversation[], limit: number): string | null {
  if (rows.length < limit) return null;
  const { place, id } = rows.at(-1)!;
  return `${place}-${id}`;
}

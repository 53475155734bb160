import { z } from "@hono/zod-openapi";
import { findInboxConversations, INBOX_KINDS, searchMessages } from "../../_shared/db/contacts/inbox.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFieldsUpTo } from "../../_shared/http/app/list_page.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import {
  CONVERSATION_EXAMPLE,
  conversationSchema,
  showConversations,
} from "../../_shared/http/company/conversations.ts";
import { addCompanyRoute } from "../company_route.ts";

const MAX_FOUND = 100;
const FORMAT = "3 to 100 characters";

const foundSchema = z.object({
  conversation_id: z.guid(),
  kind: z.enum(INBOX_KINDS),
  message_id: z.guid(),
  from_contact: z.boolean().openapi({ description: "The person wrote it, or the visitor" }),
  text: z.string(),
  at: z.iso.datetime(),
}).openapi("FoundMessage");

/** `GET …/conversations/search` finds messages of the inbox by a part of their text. */
export function registerGetSearch(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/conversations/search",
    operationId: "searchConversations",
    summary: "Search in messages",
    description:
      "The newest messages, of people and of yours, whose first 500 characters contain the text. Case, accents and double " +
      "spaces do not matter. Of what very many messages contain, it looks at some only, and says so.",
    query: z.object({
      q: z.string({ error: FORMAT }).trim().min(3, FORMAT).max(100, FORMAT).openapi({ example: "refund" }),
      limit: pageFieldsUpTo(MAX_FOUND).limit,
    }),
    response: {
      schema: z.object({
        messages: z.array(foundSchema),
        conversations: z.array(conversationSchema).openapi({ description: "Those that the messages are of" }),
        is_complete: z.boolean().openapi({
          description: "False: there may be newer ones; search for more of the text",
        }),
      }).openapi("FoundMessages"),
      example: {
        messages: [{
          conversation_id: "0192f8b1-1111-4222-8333-444455556666",
          kind: "whatsapp",
          message_id: "0192f8b0-1111-7222-8333-444455556666",
          from_contact: true,
          text: "I want a refund",
          at: "2026-12-01T09:00:00Z",
        }],
        conversations: [CONVERSATION_EXAMPLE],
        is_complete: true,
      },
    },
  }, async (c, { caller: { companyId }, query: { q: text, limit } }) => {
    const services = c.get("services");
    const rows = await searchMessages(services.sql, { companyId, text, limit });
    const ids = [...new Set(rows.map(({ conversation_id }) => conversation_id))];
    const found = await findInboxConversations(services.sql, companyId, ids);
    return {
      messages: rows.map((row) => showRow(foundSchema, row)),
      conversations: await showConversations(services, companyId, found),
      is_complete: rows[0]?.is_complete ?? true,
    };
  });
}

import { z } from "@hono/zod-openapi";
import { readPerson } from "../../_shared/contacts/ledger_entries.ts";
import { readContactMessages } from "../../_shared/db/contacts/contact_messages.ts";
import { badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema } from "../../_shared/http/app/list_page.ts";
import { describeMessage, messageSchema } from "../../_shared/http/contacts/message_schema.ts";
import { addMemberRoute } from "../member_route.ts";
import { personPageQuery } from "./person_query.ts";

/** `GET …/contacts/messages` lists what a person wrote and was replied. */
export function registerGetContactMessages(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/contacts/messages",
    operationId: "listPersonMessages",
    summary: "List what a person wrote and was replied",
    role: "viewer",
    query: personPageQuery,
    response: {
      schema: z.object({ messages: z.array(messageSchema), next: nextSchema }).openapi("PersonMessages"),
      example: { messages: [], next: null },
    },
  }, async (c, { member: { companyId }, query: { after, limit, ...person } }) => {
    const { number, user_id } = readPerson(person);
    const rows = await readContactMessages(c.get("services").sql, {
      ...{ companyId, after, limit },
      number: number ?? undefined,
      userId: user_id ?? undefined,
    });
    if (rows === null) throw badFormat("after", after, "the `next` of the page before");
    return { messages: rows.map(describeMessage), next: nextOf(rows, limit) };
  });
}

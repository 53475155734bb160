import { z } from "@hono/zod-openapi";
import { readContactMessages } from "../../_shared/db/contacts/contact_messages.ts";
import { badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { addCompanyRoute } from "../company_route.ts";
import { describeMessages, messageSchema } from "./message_schema.ts";
import { personQuery } from "./person_query.ts";

/** `GET …/contacts/replies` lists what people wrote and were replied. */
export function registerGetReplies(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/contacts/replies",
    operationId: "listReplies",
    summary: "List what people wrote, and what you replied",
    description:
      "The newest first, in both directions. `number` and `user_id` mean all addresses of that person.",
    query: personQuery.extend({
      campaign_id: z.guid({ error: "the inquiry_set_id of a campaign" }).optional(),
      ...pageFields,
    }),
    response: {
      schema: z.object({ replies: z.array(messageSchema), ...listFields }).openapi("ContactMessages"),
      example: {
        replies: [{
          message_id: "0192f8b0-1111-7222-8333-444455556666",
          direction: "in",
          purpose: "reply",
          written_by: { kind: "contact", user_id: null, name: null },
          replies_to: null,
          sender_id: "0192f8a0-1111-4222-8333-444455556666",
          number: "34600111222",
          user_id: "ES.1349aBc",
          kind: "text",
          text: "Where is my order?",
          content: null,
          attachment: null,
          status: "received",
          platform_message_id: "wamid.HBgLMzQ2MDAxMTEyMjI",
          context_message_id: null,
          campaign_id: null,
          notification_id: null,
          error_code: null,
          error_reason: null,
          at: "2026-12-01T09:00:00Z",
        }],
        next: null,
      },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const { number, user_id: userId, campaign_id: campaignId, after, limit } = query;
    const services = c.get("services");
    const messages = await readContactMessages(services.sql, {
      companyId,
      number,
      userId,
      campaignId,
      after,
      limit,
    });
    if (messages === null) throw badFormat("after", after, "the `next` of the page before");
    return { replies: await describeMessages(services, companyId, messages), next: nextOf(messages, limit) };
  });
}

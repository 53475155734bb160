import { z } from "@hono/zod-openapi";
import { numberSchema, userIdSchema } from "../_shared/contacts/address.ts";
import { readContactMessages } from "../_shared/db/contacts/contact_messages.ts";
import { badFormat } from "../_shared/errors.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { callerWithQuery } from "./contacts_caller.ts";
import { nextOf, nextSchema } from "../_shared/http/app/list_page.ts";
import { describeMessage, messageSchema } from "../_shared/http/contacts/message_schema.ts";
import { listQuery } from "../_shared/http/contacts/list_query.ts";

const querySchema = listQuery.pick({ access_key: true, after: true, limit: true }).extend({
  number: numberSchema.optional(),
  user_id: userIdSchema.optional(),
  campaign_id: z.guid({ error: "the inquiry_set_id of a campaign" }).optional(),
});

const responseSchema = z.object({
  success: z.literal(true),
  replies: z.array(messageSchema),
  next: nextSchema,
}).openapi("ContactMessages");

const route: ApiRoute = {
  method: "get",
  path: "/contacts/replies",
  operationId: "listReplies",
  summary: "List what people wrote, and what you replied",
  description:
    "The newest first, in both directions. `number` and `user_id` mean all addresses of that person.",
  tags: ["Contacts"],
  security: COMPANY_KEY,
  request: { query: querySchema },
  responses: {
    200: {
      description: "One page",
      ...json(responseSchema, {
        success: true,
        replies: [{
          message_id: "0192f8b0-1111-7222-8333-444455556666",
          direction: "in",
          purpose: "reply",
          sender_id: "0192f8a0-1111-4222-8333-444455556666",
          number: "34600111222",
          user_id: "ES.1349aBc",
          kind: "text",
          text: "Where is my order?",
          content: null,
          status: "received",
          provider_message_id: "wamid.HBgLMzQ2MDAxMTEyMjI",
          context_message_id: null,
          campaign_id: null,
          notification_id: null,
          error_code: null,
          error_reason: null,
          at: "2026-12-01T09:00:00Z",
        }],
        next: null,
      }),
    },
    ...errorResponses([400, 401, 429], [403]),
  },
};

/**
 * `GET /contacts/replies` lists a company's messages with people page by page. Fails with `unauthorized`,
 * `validation_failed` or `rate_limit_exceeded`; 403 has the short form.
 */
export function registerGetReplies(app: App): void {
  addRoute(app, route, async (c) => {
    const { companyId, query } = await callerWithQuery(c, querySchema);
    const { number, user_id: userId, campaign_id: campaignId, after, limit } = query;
    const { sql } = c.var.services;
    const messages = await readContactMessages(sql, { companyId, number, userId, campaignId, after, limit });
    if (messages === null) throw badFormat("after", after, "the `next` of the page before");
    return c.json({ success: true, replies: messages.map(describeMessage), next: nextOf(messages, limit) });
  });
}

import { z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { setVisitorEmail } from "../_shared/db/widgets/chat_people.ts";
import { AppError } from "../_shared/errors.ts";
import { type ApiRoute, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { VISITOR } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { limitVisitors } from "../_shared/http/guards/limits.ts";
import { requireVisitor } from "../_shared/http/guards/require_conversation.ts";
import { emailSchema } from "../_shared/people/person.ts";
import { conversationParams } from "./conversation_route.ts";

/** Addresses in ten minutes. */
const CHANGES = { what: "email", windowS: 600, perAddress: 60 };
const PER_CONVERSATION = 10;

const requestSchema = z.object({
  email: emailSchema.nullable().openapi({ description: "Null removes it" }),
}).openapi("VisitorEmail");

const route: ApiRoute = {
  method: "post",
  path: "/widget/conversations/{conversation_id}/email",
  operationId: "setVisitorEmail",
  summary: "Leave an e-mail address for replies",
  description:
    "As the visitor. An unread reply is reported with it (`conversation.follow_up`). Nothing confirms the address, so " +
    "it identifies no contact, and a signed identity's comes before it.",
  tags: ["Chat widget"],
  security: VISITOR,
  request: { params: conversationParams, body: jsonBody(requestSchema, { email: "ana@example.com" }) },
  responses: {
    204: { description: "Stored" },
    ...errorResponses([400, 401, 403, 404, 413, 429], [403]),
  },
};

/**
 * `POST /widget/conversations/{conversation_id}/email` stores where the visitor wants replies. Fails with `unauthorized`,
 * `validation_failed`, `forbidden`, `not_found` or `rate_limit_exceeded`.
 */
export function registerPostEmail(app: App): void {
  addRoute(app, route, async (c) => {
    const conversation = await requireVisitor(c);
    const { email } = checkFields(requestSchema, (await readJson(c)).value);
    const perSubject = { id: conversation.conversationId, limit: PER_CONVERSATION };
    await limitVisitors(c, { ...CHANGES, perSubject });
    const outcome = await setVisitorEmail(c.var.services.sql, conversation, email);
    if (outcome === "off") throw new AppError("forbidden", "This widget takes no e-mail addresses");
    return c.body(null, 204);
  });
}

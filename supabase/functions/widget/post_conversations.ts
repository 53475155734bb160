import { type RouteConfig, z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { findOpenConversation, openConversation, readMessages } from "../_shared/db/conversations.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
import { bearerToken } from "../_shared/http/bearer_token.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { limitVisitors } from "../_shared/http/limit_visitors.ts";
import { readJson } from "../_shared/http/read_json.ts";
import type { KnownWidget } from "../_shared/http/require_widget.ts";
import { visitorQuotaExceeded } from "../_shared/http/visitor_quota_exceeded.ts";
import { hashVisitorToken, newVisitorToken } from "../_shared/widgets/visitor_token.ts";
import { languageTag } from "../_shared/widgets/widget_config.ts";
import { messageSchema, statusSchema } from "./message_schema.ts";
import { readWidgetQuery } from "./read_widget_query.ts";

/** Conversations that one address may open in ten minutes. */
const OPENINGS = { what: "open", windowS: 600, perAddress: 60 };

const MOST_MESSAGES = 200;

const MAX_TITLE_LENGTH = 500;

const visitorSchema = z.object({
  user_id: z.uuid({ error: "a UUID" }),
  language: languageTag.nullish(),
  page_url: z.url({ protocol: /^https?$/, error: "the page's address" }).max(2000, "at most 2000 characters")
    .nullish().openapi({ description: "The page the visitor is on; its query and fragment are not stored" }),
  page_title: z.string({ error: "text" }).max(MAX_TITLE_LENGTH, `at most ${MAX_TITLE_LENGTH} characters`)
    .nullish()
    .openapi({ description: "The title of that page" }),
}).openapi("Visitor");

const answerSchema = z.object({
  conversation_id: z.uuid(),
  visitor_token: z.string().openapi({ description: "Opens this conversation and nothing else; keep it" }),
  status: statusSchema,
  messages: z.array(messageSchema),
}).openapi("Conversation");

const route: RouteConfig = {
  method: "post",
  path: "/widget/conversations",
  summary: "Open a conversation, or find the visitor's open one again",
  description:
    "With `Authorization: Bearer <visitor_token>` of an open conversation of the same visitor, that one " +
    "is answered again with its last 200 messages; otherwise a new one is opened.",
  tags: ["Widgets"],
  security: [{ visitorToken: [] }, {}],
  request: {
    query: z.object({ access_key: z.string(), widget_id: z.uuid() }),
    body: { required: true, content: { "application/json": { schema: visitorSchema } } },
  },
  responses: {
    200: { description: "The conversation", content: { "application/json": { schema: answerSchema } } },
    ...errorResponses([400, 401, 403, 404, 413, 429], [403]),
  },
};

/**
 * `POST /widget/conversations` opens a conversation for a visitor. Fails with `unauthorized`, `validation_failed`,
 * `forbidden`, `not_found`, `rate_limit_exceeded` or `quota_exceeded`.
 */
export function registerPostConversations(app: App): void {
  addRoute(app, route, async (c) => {
    const widget = await readWidgetQuery(c);
    const visitor = checkFields(visitorSchema, (await readJson(c)).value);
    return c.json(await findAgain(c, widget, visitor) ?? await open(c, widget, visitor));
  });
}

type Visitor = z.infer<typeof visitorSchema>;
type Answer = z.infer<typeof answerSchema>;

async function findAgain(c: AppContext, widget: KnownWidget, visitor: Visitor): Promise<Answer | undefined> {
  const token = bearerToken(c);
  if (token === undefined) return undefined;
  const { sql } = c.var.services;
  const { companyId } = widget;
  const found = await findOpenConversation(sql, {
    companyId,
    widgetId: widget.id,
    userId: visitor.user_id,
    tokenHash: hashVisitorToken(token),
  });
  if (!found) return undefined;
  const messages = await readMessages(sql, { companyId, conversationId: found.id }, {
    after: 0,
    limit: MOST_MESSAGES,
    last: true,
  });
  return { conversation_id: found.id, visitor_token: token, status: "open", messages };
}

async function open(c: AppContext, widget: KnownWidget, visitor: Visitor): Promise<Answer> {
  await limitVisitors(c, OPENINGS);
  const { token, hash } = newVisitorToken();
  const { sql, now } = c.var.services;
  const opened = await openConversation(sql, {
    companyId: widget.companyId,
    widgetId: widget.id,
    userId: visitor.user_id,
    tokenHash: hash,
    language: visitor.language ?? null,
    pageUrl: visitor.page_url ? withoutSecrets(visitor.page_url) : null,
    pageTitle: visitor.page_title?.trim() || null,
  });
  if (opened.cap !== null) throw visitorQuotaExceeded(opened, now());
  return { conversation_id: opened.id, visitor_token: token, status: "open", messages: [] };
}

/** Queries and fragments of a page's address may hold what opens an account. */
function withoutSecrets(pageUrl: string): string {
  const { origin, pathname } = new URL(pageUrl);
  return `${origin}${pathname}`;
}

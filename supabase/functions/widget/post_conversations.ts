import { z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { findOpenConversation, openConversation, readMessages } from "../_shared/db/widgets/conversations.ts";
import { badFormat, missingField } from "../_shared/errors.ts";
import { tieConversation } from "../_shared/db/people/identity_secrets.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { bearerToken } from "../_shared/http/app/request_context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { limitVisitors, visitorQuotaExceeded } from "../_shared/http/guards/limits.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import type { KnownWidget } from "../_shared/http/guards/require_widget.ts";
import { identifyVisitor, identitySchema } from "../_shared/people/visitor_identity.ts";
import { hashVisitorToken, newVisitorToken } from "../_shared/widgets/conversation_rules.ts";
import { chatConfigSchema, consentSchema, languageTag } from "../_shared/widgets/widget_config.ts";
import { MESSAGE_EXAMPLE, messageSchema, statusSchema } from "./conversation_route.ts";
import { CHAT_WIDGET_KEY, chatWidgetQuery, readChatWidget } from "./read_chat_widget.ts";

/** Conversations that one address may open in ten minutes. */
const OPENINGS = { what: "open", windowS: 600, perAddress: 60 };
/** Signed identities that one address may send in ten minutes. */
const IDENTITIES = { what: "identify", windowS: 600, perAddress: 120 };

const MAX_MESSAGES = 200;

const MAX_TITLE_LENGTH = 500;

const visitorSchema = z.object({
  user_id: z.uuid({ error: "a UUID" }),
  language: languageTag.nullish(),
  page_url: z.url({ protocol: /^https?$/, error: "the page's address" }).max(2000, "at most 2000 characters")
    .nullish().openapi({ description: "The page the visitor is on; its query and fragment are not stored" }),
  page_title: z.string({ error: "text" }).max(MAX_TITLE_LENGTH, `at most ${MAX_TITLE_LENGTH} characters`)
    // In one line, as a browser shows it.
    .overwrite((title) => title.replace(/[\p{Cc}\s]+/gu, " ").trim())
    .nullish()
    .openapi({ description: "The title of that page" }),
  identity: identitySchema.nullish().openapi({
    description: "Who the visitor is, as your server has signed it. Only signed fields count",
  }),
  consent: consentSchema.nullish().openapi({
    description:
      "What the visitor accepted: the widget's `consent` as it was shown. Needed where the widget has one",
  }),
}).openapi("Visitor");

const conversationSchema = z.object({
  conversation_id: z.uuid(),
  visitor_token: z.string().openapi({ description: "Opens this conversation and nothing else. Store it." }),
  status: statusSchema,
  messages: z.array(messageSchema),
}).openapi("Conversation");

const route: ApiRoute = {
  method: "post",
  path: "/widget/conversations",
  operationId: "openConversation",
  summary: "Open a conversation, or resume the visitor's open one",
  description:
    "With `Authorization: Bearer <visitor_token>` of an open conversation of the same visitor, returns that " +
    "one with its last 200 messages. Otherwise opens a new one.",
  tags: ["Chat widget"],
  security: [...CHAT_WIDGET_KEY, ...CHAT_WIDGET_KEY.map((key) => ({ ...key, visitorToken: [] }))],
  request: {
    query: z.object(chatWidgetQuery),
    body: jsonBody(visitorSchema, {
      user_id: "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f",
      language: "en",
      page_url: "https://shop.example/cart",
      page_title: "Your cart",
    }),
  },
  responses: {
    200: {
      description: "The conversation",
      ...json(conversationSchema, {
        conversation_id: "0192f8a8-2d3e-7f40-9b5c-6d7e8f9a0b1c",
        visitor_token: "vt_9sK2mXbY0a7dKfPz4tRw8h",
        status: "open",
        messages: [MESSAGE_EXAMPLE],
      }),
    },
    ...errorResponses([400, 401, 403, 404, 413, 429], [403]),
  },
};

/**
 * `POST /widget/conversations` opens a conversation for a visitor. Fails with `unauthorized`, `validation_failed`,
 * `forbidden`, `not_found`, `rate_limit_exceeded` or `quota_exceeded`.
 */
export function registerPostConversations(app: App): void {
  addRoute(app, route, async (c) => {
    const widget = await readChatWidget(c);
    const visitor = checkFields(visitorSchema, (await readJson(c)).value);
    if (visitor.identity) await limitVisitors(c, IDENTITIES);
    const contactId = visitor.identity
      ? await identifyVisitor(c.var.services, widget.companyId, visitor.identity)
      : null;
    return c.json(await resume(c, widget, visitor, contactId) ?? await open(c, widget, visitor, contactId));
  });
}

type Visitor = z.infer<typeof visitorSchema>;
type OpenedConversation = z.infer<typeof conversationSchema>;

async function resume(
  c: AppContext,
  widget: KnownWidget,
  visitor: Visitor,
  contactId: string | null,
): Promise<OpenedConversation | undefined> {
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
  // Another person uses the browser now.
  if (!found || contactId !== null && found.contact_id !== null && found.contact_id !== contactId) {
    return undefined;
  }
  await tie(c, { companyId, conversationId: found.id, contactId });
  const messages = await readMessages(sql, { companyId, conversationId: found.id }, {
    after: 0,
    limit: MAX_MESSAGES,
    last: true,
  });
  return { conversation_id: found.id, visitor_token: token, status: "open", messages };
}

/** Returns what the visitor accepted, which must be what the widget asks for now. Throws `validation_failed`. */
function acceptedConsent(
  { config }: KnownWidget,
  { consent: accepted }: Visitor,
): { text: string; link: string | null } | null {
  const { consent } = chatConfigSchema.parse(config);
  if (consent === null) return null;
  if (!accepted) throw missingField("consent");
  if (accepted.text !== consent.text || accepted.link !== consent.link) {
    throw badFormat("consent", "", "the text and the link that the widget has now");
  }
  return consent;
}

async function open(
  c: AppContext,
  widget: KnownWidget,
  visitor: Visitor,
  contactId: string | null,
): Promise<OpenedConversation> {
  const consent = acceptedConsent(widget, visitor);
  await limitVisitors(c, OPENINGS);
  const { token, hash } = newVisitorToken(widget.companyId);
  const { sql, now } = c.var.services;
  const opened = await openConversation(sql, {
    companyId: widget.companyId,
    widgetId: widget.id,
    userId: visitor.user_id,
    tokenHash: hash,
    language: visitor.language ?? null,
    pageUrl: visitor.page_url ? withoutSecrets(visitor.page_url) : null,
    pageTitle: visitor.page_title || null,
    consent,
  });
  if (opened.cap !== null) throw visitorQuotaExceeded(opened, now());
  await tie(c, { companyId: widget.companyId, conversationId: opened.id, contactId });
  return { conversation_id: opened.id, visitor_token: token, status: "open", messages: [] };
}

async function tie(
  c: AppContext,
  { contactId, ...conversation }: { companyId: string; conversationId: string; contactId: string | null },
): Promise<void> {
  if (contactId !== null) await tieConversation(c.var.services.sql, { ...conversation, contactId });
}

/** Removes query and fragment, which may contain secrets such as login tokens. */
function withoutSecrets(pageUrl: string): string {
  const { origin, pathname } = new URL(pageUrl);
  return `${origin}${pathname}`;
}

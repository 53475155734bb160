import { z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { isOneLine, isPlainText, WITHOUT_CONTROLS } from "../_shared/values/control_characters.ts";
import { requestHandoff } from "../_shared/db/widgets/voice_sessions.ts";
import { AppError } from "../_shared/errors.ts";
import { openRoom } from "../_shared/gateways/realtime.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { SESSION } from "../_shared/http/app/security.ts";
import { limitVisitors } from "../_shared/http/guards/limits.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { enterRoom, HANDOFF_EXAMPLE, handoffSchema } from "../_shared/http/realtime/handoff_room.ts";
import { requireRealtimePlatform } from "../_shared/http/realtime/platforms.ts";
import {
  conversationIdSchema,
  type KnownSession,
  requireOwnConversation,
  requireSession,
  sessionQuery,
} from "./require_session.ts";

/** Handoffs in ten minutes, of one session and of one address. Each one notifies a person. */
const HANDOFFS = { what: "handoff", windowS: 600, perAddress: 20 };
const PER_SESSION = 5;

const text = (maxLength: number, isAllowed: (text: string) => boolean) =>
  z.string({ error: "text" }).trim().max(maxLength, `at most ${maxLength} characters`).refine(
    isAllowed,
    WITHOUT_CONTROLS,
  )
    .nullish();

const requestSchema = z.object({
  conversation_id: conversationIdSchema,
  reason: text(1000, isPlainText),
  contact: z.object(
    { name: text(200, isOneLine), email: text(320, isOneLine), number: text(50, isOneLine) },
    {
      error: "an object with name, email or number",
    },
  ).nullish(),
}).openapi("HandoffRequest");

const route: ApiRoute = {
  method: "post",
  path: "/voice-widget/handoff",
  operationId: "requestHandoff",
  summary: "Request a handoff to a person",
  tags: ["Voice widget"],
  security: SESSION,
  request: {
    query: z.object(sessionQuery),
    body: jsonBody(requestSchema, {
      conversation_id: "conv_01jx3k5m7n9p",
      reason: "A question about an invoice",
      contact: { name: "Ana", email: "ana@example.com" },
    }),
  },
  responses: {
    200: {
      description: "The room in which the visitor waits",
      ...json(handoffSchema, HANDOFF_EXAMPLE),
    },
    ...errorResponses([400, 401, 403, 404, 413, 429, 502]),
  },
};

/**
 * `POST /voice-widget/handoff` opens a room for the visitor and a person, and notifies the company (`handoff.requested`).
 * Fails with `unauthorized`, `forbidden`, `not_found`, `validation_failed`, `rate_limit_exceeded` or
 * `service_unavailable`.
 */
export function registerPostHandoff(app: App): void {
  addRoute(app, route, async (c) => {
    const session = await requireSession(c);
    const body = checkFields(requestSchema, (await readJson(c)).value);
    const id = crypto.randomUUID();
    const room = `handoff-${id}`;
    await openRoomFor(c, session, { room, conversationId: body.conversation_id });
    await requestHandoff(c.var.services.sql, {
      companyId: session.companyId,
      widgetId: session.widgetId,
      sessionId: session.sessionId,
      id,
      conversationId: body.conversation_id,
      reason: body.reason || null,
      contact: contactOf(body.contact),
      room,
    });
    return c.json({ handoff_id: id, status: "waiting", ...await enterRoom(c, room, "visitor") });
  });
}

async function openRoomFor(
  c: AppContext,
  session: KnownSession,
  { room, conversationId }: { room: string; conversationId: string },
): Promise<void> {
  if (!session.config.features.handoff) {
    throw new AppError("forbidden", "Handoffs are switched off for this widget");
  }
  const platform = requireRealtimePlatform(c);
  await limitVisitors(c, { ...HANDOFFS, perSubject: { id: session.sessionId, limit: PER_SESSION } });
  await requireOwnConversation(c, session, conversationId);
  await openRoom(platform, room);
  c.var.services.outages.worked("realtime");
}

/** Returns the fields that were filled in; null without any. */
function contactOf(given: z.infer<typeof requestSchema>["contact"]): Record<string, string> | null {
  const filled = Object.entries(given ?? {}).filter((field): field is [string, string] => Boolean(field[1]));
  return filled.length > 0 ? Object.fromEntries(filled) : null;
}

import { type RouteConfig, z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { isOneLine, isPlainText, WITHOUT_CONTROLS } from "../_shared/control_characters.ts";
import { requestHandoff } from "../_shared/db/voice_sessions.ts";
import { AppError } from "../_shared/errors.ts";
import { openRoom } from "../_shared/gateways/realtime/open_room.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { limitVisitors } from "../_shared/http/limit_visitors.ts";
import { readJson } from "../_shared/http/read_json.ts";
import { enterRoom } from "./enter_room.ts";
import { handoffSchema } from "./handoff_schema.ts";
import { requireRealtimePlatform } from "./realtime_platform.ts";
import { requireOwnConversation } from "./require_own_conversation.ts";
import { conversationIdSchema, type KnownSession, requireSession } from "./require_session.ts";
import { jsonBody, sessionQuery, sessionSecurity } from "./session_route.ts";

/** Each calls a person: how often one session, and one address, may in ten minutes. */
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

const route: RouteConfig = {
  method: "post",
  path: "/voice-widget/handoff",
  summary: "Ask for a person",
  tags: ["Widgets"],
  security: sessionSecurity,
  request: { query: z.object(sessionQuery), body: jsonBody(requestSchema) },
  responses: {
    200: { description: "A room to wait in", content: { "application/json": { schema: handoffSchema } } },
    ...errorResponses([400, 401, 403, 404, 413, 429, 502]),
  },
};

/**
 * `POST /voice-widget/handoff` opens a room for the visitor and a person, and tells the company (`handoff.requested`).
 * Fails with `unauthorized`, `forbidden`, `not_found`, `validation_failed`, `rate_limit_exceeded` or
 * `service_unavailable`.
 */
export function registerPostHandoff(app: App): void {
  addRoute(app, route, async (c) => {
    const session = await requireSession(c);
    const asked = checkFields(requestSchema, (await readJson(c)).value);
    const id = crypto.randomUUID();
    const room = `handoff-${id}`;
    await openRoomFor(c, session, { room, conversationId: asked.conversation_id });
    await requestHandoff(c.var.services.sql, {
      companyId: session.companyId,
      widgetId: session.widgetId,
      sessionId: session.sessionId,
      id,
      conversationId: asked.conversation_id,
      reason: asked.reason || null,
      contact: contactOf(asked.contact),
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
    throw new AppError("forbidden", "This widget does not hand over to a person");
  }
  const platform = requireRealtimePlatform(c);
  await limitVisitors(c, { ...HANDOFFS, perSubject: { id: session.sessionId, limit: PER_SESSION } });
  await requireOwnConversation(c, session, conversationId);
  await openRoom(platform, room);
  c.var.services.outages.worked("realtime");
}

/** What is left when nothing was filled in is nothing. */
function contactOf(given: z.infer<typeof requestSchema>["contact"]): Record<string, string> | null {
  const filled = Object.entries(given ?? {}).filter((field): field is [string, string] => Boolean(field[1]));
  return filled.length > 0 ? Object.fromEntries(filled) : null;
}

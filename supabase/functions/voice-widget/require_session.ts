import { z } from "@hono/zod-openapi";
import {
  bindConversation,
  readVoiceSession,
  readWidgetConfig,
} from "../_shared/db/widgets/voice_sessions.ts";
import { AppError, badFormat } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";
import { enterCompanyCell } from "../_shared/http/app/request_cell.ts";
import { bearerToken } from "../_shared/http/app/request_context.ts";
import { limitVisitors } from "../_shared/http/guards/limits.ts";
import { readSessionToken, type VoiceSession } from "../_shared/widgets/session_token.ts";
import { type VoiceConfig, voiceConfigSchema } from "../_shared/widgets/widget_config.ts";
import { voiceUnavailable } from "../_shared/gateways/voice/sessions.ts";
import { readSession } from "../_shared/gateways/voice/session_report.ts";

/** Optional: must match the token's widget. */
export const sessionQuery = { id_widget: z.uuid().optional() };

/** Requests per minute, of one session and of one address. */
const REQUESTS = { what: "session", windowS: 60, perAddress: 300 };
const PER_SESSION = 60;

export interface KnownSession extends VoiceSession {
  config: VoiceConfig;
}

/** A conversation's id at the voice platform. */
export const conversationIdSchema = z.string({ error: "a conversation's id" })
  .regex(/^[A-Za-z0-9_-]{1,100}$/, "a conversation's id")
  .openapi({ example: "conv_01jx3k5m7n9p" });

/**
 * Returns the session of `Authorization: Bearer <session_token>`, for the widget's own iframe only: a browser's request must
 * come from the widget host, and an `id_widget` in the query must match the token.
 *
 * Throws `unauthorized`, `forbidden` and `rate_limit_exceeded`.
 */
export async function requireSession(c: AppContext): Promise<KnownSession> {
  const { env, now } = c.var.services;
  const token = bearerToken(c);
  if (token === undefined) {
    const fault = c.req.header("Authorization") === undefined ? "Missing" : "Malformed";
    throw new AppError("unauthorized", `${fault} session token: send Authorization: Bearer <session_token>`);
  }
  const session = await readSessionToken(env.OUTBOUND_SECRETS_KEY, token, now());
  c.set("companyId", session.companyId);
  enterCompanyCell(c, session.companyId);
  requireWidgetHost(c);
  requireSameWidget(c, session);
  await limitVisitors(c, { ...REQUESTS, perSubject: { id: session.sessionId, limit: PER_SESSION } });
  const config = await readWidgetConfig(c.var.services.sql, session);
  if (config === undefined) throw new AppError("forbidden", "This widget is switched off");
  return { ...session, config: voiceConfigSchema.parse(config) };
}

function requireWidgetHost(c: AppContext): void {
  const origin = c.req.header("Origin");
  const { OUTBOUND_WIDGET_URL } = c.var.services.env;
  if (origin === undefined || (OUTBOUND_WIDGET_URL && origin === new URL(OUTBOUND_WIDGET_URL).origin)) return;
  throw new AppError("forbidden", "This endpoint accepts requests from the widget host only (Origin)");
}

function requireSameWidget(c: AppContext, { widgetId }: VoiceSession): void {
  const given = c.req.query("id_widget");
  if (given === undefined) return;
  const widget = z.uuid().safeParse(given).data;
  if (widget === undefined) throw badFormat("id_widget", given, "a UUID");
  if (widget.toLowerCase() !== widgetId) {
    throw new AppError("forbidden", "id_widget does not match the session token");
  }
}

/** The tolerated delay of the platform's clock. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Refuses a conversation that does not belong to the session. If the platform named the conversation at the start, only that
 * one belongs to it. Otherwise the first one that the session names is bound to it, if it is with the session's agent,
 * began after the session and belongs to no other session.
 *
 * Throws `unauthorized`, `forbidden`, `not_found` and `service_unavailable` (502).
 */
export async function requireOwnConversation(
  c: AppContext,
  session: VoiceSession,
  conversationId: string,
): Promise<void> {
  const { sql } = c.var.services;
  const stored = await readVoiceSession(sql, session);
  if (stored === undefined) throw new AppError("unauthorized", "The session of this token does not exist");
  if (stored.conversation_id === conversationId) return;
  if (stored.conversation_id !== null) throw notOwnConversation();
  await requireStartedIn(c, session, { conversationId, startedAt: stored.started_at });
  const outcome = await bindConversation(sql, { ...session, conversationId });
  if (outcome !== "bound") throw notOwnConversation();
}

/** Checks a conversation with the platform. Without a key to the platform there is nothing to check. */
async function requireStartedIn(
  c: AppContext,
  { agentId }: VoiceSession,
  { conversationId, startedAt }: { conversationId: string; startedAt: Date },
): Promise<void> {
  const { ELEVENLABS_API_URL: apiUrl, ELEVENLABS_API_KEY: apiKey } = c.var.services.env;
  if (!apiKey) return;
  const report = await readSession({ apiUrl }, { conversationId, apiKey });
  if (report.kind === "unavailable") throw voiceUnavailable();
  c.var.services.outages.worked("voice");
  if (report.kind === "missing" || report.agentId !== agentId) {
    throw new AppError("not_found", "The voice platform does not know this conversation");
  }
  const isOlder = report.startedAt !== null &&
    report.startedAt.getTime() < startedAt.getTime() - CLOCK_SKEW_MS;
  if (isOlder) throw notOwnConversation();
}

function notOwnConversation(): AppError {
  return new AppError("forbidden", "This conversation does not belong to the session");
}

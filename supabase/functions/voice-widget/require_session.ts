import { z } from "zod";
import { readWidgetConfig } from "../_shared/db/voice_sessions.ts";
import { AppError, badFormat } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app.ts";
import { bearerToken } from "../_shared/http/bearer_token.ts";
import { limitVisitors } from "../_shared/http/limit_visitors.ts";
import { readSessionToken, type VoiceSession } from "../_shared/widgets/session_token.ts";
import { type VoiceConfig, voiceConfigSchema } from "../_shared/widgets/widget_config.ts";

/** Requests in a minute, of one session and of one address. */
const REQUESTS = { what: "session", windowS: 60, perAddress: 300 };
const PER_SESSION = 60;

export interface KnownSession extends VoiceSession {
  config: VoiceConfig;
}

/** A conversation's id at the voice platform. */
export const conversationIdSchema = z.string({ error: "a conversation's id" })
  .regex(/^[A-Za-z0-9_-]{1,100}$/, "a conversation's id");

/**
 * The session of `Authorization: Bearer <session_token>`, for the widget's own iframe only: a browser's request must come
 * from the widget host, and an `id_widget` in the query must be the session's.
 *
 * Throws `unauthorized`, `forbidden` and `rate_limit_exceeded`.
 */
export async function requireSession(c: AppContext): Promise<KnownSession> {
  const { env, sql, now } = c.var.services;
  const token = bearerToken(c);
  if (token === undefined) {
    throw new AppError("unauthorized", "Missing session token: send Authorization: Bearer <session_token>");
  }
  const session = await readSessionToken(env.SECRETS_KEY, token, now());
  c.set("companyId", session.companyId);
  requireWidgetHost(c);
  requireSameWidget(c, session);
  await limitVisitors(c, { ...REQUESTS, perSubject: { id: session.sessionId, limit: PER_SESSION } });
  const config = await readWidgetConfig(sql, session);
  if (config === undefined) throw new AppError("forbidden", "This widget is switched off");
  return { ...session, config: voiceConfigSchema.parse(config) };
}

function requireWidgetHost(c: AppContext): void {
  const origin = c.req.header("Origin");
  const { WIDGET_URL } = c.var.services.env;
  if (origin === undefined || (WIDGET_URL && origin === new URL(WIDGET_URL).origin)) return;
  throw new AppError("forbidden", "Only the widget itself may ask this");
}

function requireSameWidget(c: AppContext, { widgetId }: VoiceSession): void {
  const given = c.req.query("id_widget");
  if (given === undefined) return;
  const named = z.uuid().safeParse(given).data;
  if (named === undefined) throw badFormat("id_widget", given, "a UUID");
  if (named.toLowerCase() !== widgetId) throw new AppError("forbidden", "The session is another widget's");
}

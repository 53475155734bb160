import { z } from "@hono/zod-openapi";
import { findVoiceAgent } from "../_shared/db/calls/agents.ts";
import {
  bindConversation,
  cancelVoiceSession,
  startVoiceSession,
} from "../_shared/db/widgets/voice_sessions.ts";
import { AppError, badFormat } from "../_shared/errors.ts";
import { conversationToken, signedUrl } from "../_shared/gateways/voice/sessions.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { WIDGET_KEY } from "../_shared/http/app/security.ts";
import { limitVisitors, visitorQuotaExceeded } from "../_shared/http/guards/limits.ts";
import { newSessionToken, type VoiceSession } from "../_shared/widgets/session_token.ts";
import { type VoiceConfig, voiceConfigSchema } from "../_shared/widgets/widget_config.ts";
import { readVoiceWidget, voiceWidgetQuery } from "./read_voice_widget.ts";
import { voicePlatform } from "../_shared/http/realtime/platforms.ts";

/**
 * Sessions that one address may start in ten minutes, because sessions cost money. Each unused session reserves ten minutes
 * for about twenty minutes, so one address cannot reserve all default minutes of a widget.
 */
const SESSIONS = { what: "voice", windowS: 600, perAddress: 20 };

const CONNECTIONS = ["websocket", "webrtc"] as const;
type Connection = typeof CONNECTIONS[number];

const sessionSchema = z.object({
  signed_url: z.string().optional().openapi({ description: "With `websocket`; valid for 15 minutes" }),
  conversation_token: z.string().optional().openapi({ description: "With `webrtc`" }),
  connection: z.enum(CONNECTIONS),
  agent_id: z.string(),
  session_token: z.string().openapi({ description: "A Bearer token for the other routes of /voice-widget" }),
  expires_at: z.iso.datetime().openapi({ description: "The end of `session_token`" }),
  max_session_s: z.number().int().openapi({ description: "The widget hangs up after this many seconds" }),
  client: z.object({
    name: z.string(),
    version: z.string(),
    url: z.string().nullable().openapi({ description: "Null when the widget host is unavailable" }),
    integrity: z.string().nullable(),
  }),
}).openapi("VoiceSession");

const route: ApiRoute = {
  method: "get",
  path: "/voice-widget/signed-url",
  operationId: "startVoiceSession",
  summary: "Start a voice session",
  description: "Takes the company's access key or a publishable one.",
  tags: ["Voice widget"],
  security: WIDGET_KEY,
  request: {
    query: z.object({
      ...voiceWidgetQuery,
      connection: z.enum(CONNECTIONS).optional().openapi({ description: "Default: the widget's own" }),
    }),
  },
  responses: {
    200: {
      description: "The credentials of the session",
      ...json(sessionSchema, {
        signed_url: "wss://api.elevenlabs.io/v1/convai/conversation?agent_id=agent_01jx3k5m&token=x",
        connection: "websocket",
        agent_id: "agent_01jx3k5m",
        session_token: "eyJhbGciOiJIUzI1NiJ9.e30.x",
        expires_at: "2026-12-01T10:00:00Z",
        max_session_s: 600,
        client: { name: "@elevenlabs/client", version: "1.25.0", url: null, integrity: null },
      }),
    },
    ...errorResponses([400, 401, 403, 404, 429, 502], [403]),
  },
};

/**
 * `GET /voice-widget/signed-url` starts a session with the widget's agent on the voice platform, within the daily caps of
 * the widget and its company. Fails with `unauthorized`, `validation_failed`, `forbidden`, `not_found`,
 * `agent_not_found`, `rate_limit_exceeded`, `quota_exceeded` or `service_unavailable`.
 */
export function registerGetSignedUrl(app: App): void {
  addRoute(app, route, async (c) => {
    const widget = await readVoiceWidget(c);
    const config = voiceConfigSchema.parse(widget.config);
    const connection = readConnection(c.req.query("connection"), config);
    await limitVisitors(c, SESSIONS);
    const { services } = c.var;
    const agentId = await platformAgent(c, widget.companyId, config.agent_id);
    const sessionId = crypto.randomUUID();
    const started = { companyId: widget.companyId, widgetId: widget.id, agentId, sessionId };
    const maxSessionS = await start(c, started);
    const entry = await enter(c, started, connection);
    services.outages.worked("voice");
    const session = await newSessionToken(services.env.OUTBOUND_SECRETS_KEY, {
      ...started,
      now: services.now(),
    });
    c.header("Cache-Control", "no-store");
    return c.json({
      ...entry,
      connection,
      agent_id: agentId,
      session_token: session.token,
      expires_at: session.expiresAt.toISOString(),
      max_session_s: maxSessionS,
      client: await services.clientLibrary.get("client"),
    });
  });
}

/** Returns the platform's id of the widget's agent, which is one of the company's. */
async function platformAgent(c: AppContext, companyId: string, agentId: string): Promise<string> {
  const agent = await findVoiceAgent(c.var.services.sql, { companyId, agentId });
  if (agent?.status === "active") return agent.platform_agent_id;
  const fault = agent ? "is disabled" : "is not one of the company's";
  throw new AppError("agent_not_found", `The widget's voice agent ${fault}`, {
    details: { agent_id: agentId, ...(agent && { current_status: agent.status }) },
  });
}

function readConnection(given: string | undefined, { connection }: VoiceConfig): Connection {
  if (given === undefined) return connection;
  const found = CONNECTIONS.find((name) => name === given);
  if (found === undefined) throw badFormat("connection", given, "websocket or webrtc");
  return found;
}

/** Counts the session towards the caps, before the request to the platform. Returns its maximum duration in seconds. */
async function start(c: AppContext, session: VoiceSession): Promise<number> {
  voicePlatform(c);
  const { sql, now } = c.var.services;
  const started = await startVoiceSession(sql, session);
  if (started === undefined) throw new AppError("not_found", "This company has no voice widget with this id");
  if (started.cap === null) return started.max_session_s;
  throw visitorQuotaExceeded(started, now());
}

/** Requests the session from the platform. A session that the platform refuses is not counted. */
async function enter(c: AppContext, session: VoiceSession, connection: Connection) {
  const { sql } = c.var.services;
  try {
    const { conversationId, ...entry } = await requestSession(c, session.agentId, connection);
    if (conversationId !== null) await bindConversation(sql, { ...session, conversationId });
    return entry;
  } catch (error) {
    await cancelVoiceSession(sql, session);
    throw error;
  }
}

async function requestSession(c: AppContext, agentId: string, connection: Connection) {
  const { config, apiKey } = voicePlatform(c);
  if (connection === "webrtc") {
    const { token, conversationId } = await conversationToken(config, { agentId, apiKey });
    return { conversation_token: token, conversationId };
  }
  const { signedUrl: signed_url, conversationId } = await signedUrl(config, { agentId, apiKey });
  return { signed_url, conversationId };
}

import { type RouteConfig, z } from "@hono/zod-openapi";
import { findVoiceAgent } from "../_shared/db/voice_agents.ts";
import { AppError, badFormat } from "../_shared/errors.ts";
import { conversationToken } from "../_shared/gateways/voice/conversation_token.ts";
import { signedUrl } from "../_shared/gateways/voice/signed_url.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { limitVisitors } from "../_shared/http/limit_visitors.ts";
import { newSessionToken } from "../_shared/widgets/session_token.ts";
import { type VoiceConfig, voiceConfigSchema } from "../_shared/widgets/widget_config.ts";
import { pageOriginSchema, readWidgetQuery } from "./read_widget_query.ts";
import { voicePlatform } from "./voice_platform.ts";

/** Sessions cost money: how many one address may ask for in ten minutes. */
const SESSIONS = { what: "voice", windowS: 600, perAddress: 60 };

const CONNECTIONS = ["websocket", "webrtc"] as const;
type Connection = typeof CONNECTIONS[number];

const answerSchema = z.object({
  signed_url: z.string().optional().openapi({ description: "With `websocket`; use it within 15 minutes" }),
  conversation_token: z.string().optional().openapi({ description: "With `webrtc`" }),
  connection: z.enum(CONNECTIONS),
  agent_id: z.string(),
  session_token: z.string().openapi({ description: "For the routes below /voice-widget, as a Bearer token" }),
  expires_at: z.iso.datetime().openapi({ description: "The end of `session_token`" }),
  client: z.object({
    name: z.string(),
    version: z.string(),
    url: z.string().nullable().openapi({ description: "Null when the widget host did not tell" }),
    integrity: z.string().nullable(),
  }),
}).openapi("VoiceSession");

const route: RouteConfig = {
  method: "get",
  path: "/voice-widget/signed-url",
  summary: "Start a voice session",
  description: "Takes the company's access key or a publishable one.",
  tags: ["Widgets"],
  request: {
    query: z.object({
      access_key: z.string(),
      id_widget: z.uuid(),
      language: z.string().optional(),
      page_origin: pageOriginSchema,
      connection: z.enum(CONNECTIONS).optional().openapi({ description: "Default: the widget's own" }),
    }),
  },
  responses: {
    200: {
      description: "What the browser connects with",
      content: { "application/json": { schema: answerSchema } },
    },
    ...errorResponses([400, 401, 403, 404, 429, 502], [403]),
  },
};

/**
 * `GET /voice-widget/signed-url` gets a session with the widget's agent from the voice platform. Fails with
 * `unauthorized`, `validation_failed`, `forbidden`, `not_found`, `agent_not_found`, `rate_limit_exceeded` or
 * `service_unavailable`.
 */
export function registerGetSignedUrl(app: App): void {
  addRoute(app, route, async (c) => {
    const widget = await readWidgetQuery(c);
    const config = voiceConfigSchema.parse(widget.config);
    const connection = readConnection(c.req.query("connection"), config);
    await limitVisitors(c, SESSIONS);
    const { services } = c.var;
    const agentId = await platformAgent(c, widget.companyId, config.agent_id);
    const entry = await enter(c, agentId, connection);
    services.outages.worked("voice");
    const session = await newSessionToken(services.env.SECRETS_KEY, {
      now: services.now(),
      companyId: widget.companyId,
      widgetId: widget.id,
      agentId,
      sessionId: crypto.randomUUID(),
    });
    c.header("Cache-Control", "no-store");
    return c.json({
      ...entry,
      connection,
      agent_id: agentId,
      session_token: session.token,
      expires_at: session.expiresAt.toISOString(),
      client: await services.clientLibrary.get("client"),
    });
  });
}

/** A widget names its agent by our id or by the platform's; one we do not know may still be the platform's. */
async function platformAgent(c: AppContext, companyId: string, agentId: string): Promise<string> {
  const agent = await findVoiceAgent(c.var.services.sql, { companyId, agentId });
  if (agent === undefined) return agentId;
  if (agent.status === "active") return agent.provider_agent_id;
  throw new AppError("agent_not_found", "The widget's voice agent is disabled", {
    details: { agent_id: agentId, current_status: agent.status },
  });
}

function readConnection(given: string | undefined, { connection }: VoiceConfig): Connection {
  if (given === undefined) return connection;
  const found = CONNECTIONS.find((known) => known === given);
  if (found === undefined) throw badFormat("connection", given, "websocket or webrtc");
  return found;
}

async function enter(c: AppContext, agentId: string, connection: Connection) {
  const { config, apiKey } = voicePlatform(c);
  return connection === "webrtc"
    ? { conversation_token: await conversationToken(config, { agentId, apiKey }) }
    : { signed_url: await signedUrl(config, { agentId, apiKey }) };
}

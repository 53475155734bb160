import type { Context } from "hono";
import { SignJWT } from "jose";
import { z } from "zod";
import { readControlBody } from "../control/control_request.ts";
import type { SandboxApp } from "../http/sandbox_app.ts";
import { addFeedback, feedbackSchema } from "../voice/conversations/feedback.ts";
import { sessionFaultSchema, sessionSettingsSchema } from "./session_fault.ts";
import { type SessionRecord, sessionView } from "./session_record.ts";
import {
  newConversationId,
  type SessionAccount,
  type SessionAgent,
  type VoiceSessions,
} from "./voice_sessions.ts";

const BASE = "/v1/convai";
/** LiveKit's own default. */
const TOKEN_TTL = "6h";

/** Registers the routes that a server uses for sessions in browsers, and the controls of sessions. */
export function registerSessionRoutes(app: SandboxApp, sessions: VoiceSessions): void {
  app.get(`${BASE}/conversation/get-signed-url`, (c) => getSignedUrl(sessions, c));
  app.get(`${BASE}/conversation/token`, (c) => getToken(sessions, c));
  // Phone conversations belong to the voice platform's routes, which `next` runs.
  app.get(`${BASE}/conversations/:id`, (c, next) => {
    const record = recordOf(sessions, c);
    return record === undefined ? next() : Promise.resolve(c.json(sessionView(record)));
  });
  app.post(`${BASE}/conversations/:id/feedback`, (c, next) => {
    const record = recordOf(sessions, c);
    return record === undefined ? next() : postFeedback(record, c);
  });
  registerSessionControls(app, sessions);
}

function getSignedUrl(sessions: VoiceSessions, c: Context): Response {
  const found = findAgent(sessions, c);
  if (found instanceof Response) return found;
  const url = new URL(c.req.url);
  const conversation_id = c.req.query("include_conversation_id") === "true" ? newConversationId() : null;
  const query = new URLSearchParams({
    agent_id: found.agent.agentId,
    conversation_signature: sessions.sign(found.account, found.agent, conversation_id),
  });
  const signed_url = `ws://${url.host}${BASE}/conversation?${query}`;
  return c.json({ signed_url, ...(conversation_id !== null && { conversation_id }) });
}

async function getToken(sessions: VoiceSessions, c: Context): Promise<Response> {
  const found = findAgent(sessions, c);
  if (found instanceof Response) return found;
  const conversation_id = newConversationId();
  const { apiKey, apiSecret } = sessions.livekit;
  const token = await new SignJWT({ video: { roomJoin: true, room: `room_${conversation_id}` } })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(apiKey)
    .setSubject(c.req.query("participant_name") ?? `user_${conversation_id}`)
    .setNotBefore("0s")
    .setExpirationTime(TOKEN_TTL)
    .sign(new TextEncoder().encode(apiSecret));
  return c.json({ token, conversation_id });
}

/** The session that a request names, when its key may see it. */
function recordOf(sessions: VoiceSessions, c: Context): SessionRecord | undefined {
  const record = sessions.records.get(c.req.param("id") ?? "");
  return record?.apiKey === c.req.header("xi-api-key") ? record : undefined;
}

async function postFeedback(record: SessionRecord, c: Context): Promise<Response> {
  const parsed = feedbackSchema.safeParse(await c.req.json().catch(() => undefined));
  if (!parsed.success) {
    return c.json({ detail: [{ type: "missing", loc: ["body"], msg: "Field required" }] }, 422);
  }
  addFeedback(record.feedback, parsed.data);
  return c.json({});
}

function findAgent(
  sessions: VoiceSessions,
  c: Context,
): { account: SessionAccount; agent: SessionAgent } | Response {
  const key = c.req.header("xi-api-key");
  const account = sessions.account(key);
  if (account === undefined) {
    return key
      ? refuse(c, 401, "invalid_api_key", "Invalid API key")
      : refuse(c, 401, "missing_api_key", "The xi-api-key header is missing");
  }
  const agentId = c.req.query("agent_id");
  const fault = sessions.drawFault("request", agentId);
  if (fault !== undefined) return refuse(c, fault.http!, "internal_error", "Simulated fault");
  if (!agentId) {
    return c.json({
      detail: [{ type: "missing", loc: ["query", "agent_id"], msg: "Field required", input: null }],
    }, 422);
  }
  const agent = account.agents.find((each) => each.agentId === agentId);
  return agent === undefined
    ? refuse(c, 404, "agent_not_found", `Agent with ID ${agentId} was not found`)
    : { account, agent };
}

const TYPES: Record<number, string> = {
  401: "authentication_error",
  404: "not_found",
  503: "service_unavailable",
};

function refuse(c: Context, status: number, code: string, message: string): Response {
  const type = TYPES[status] ?? (status < 500 ? "invalid_request" : "internal_error");
  const request_id = crypto.randomUUID().replaceAll("-", "");
  return c.json({ detail: { type, code, message, status: code, request_id, param: null } }, status as 400);
}

const CONTROLS = "/sandbox/voice-sessions";

/** Registers the list of browser sessions, their settings and their faults. */
function registerSessionControls(app: SandboxApp, sessions: VoiceSessions): void {
  app.get(CONTROLS, (c) => c.json({ data: [...sessions.records.values()].map(sessionView) }));
  app.get(`${CONTROLS}/settings`, (c) => c.json(sessions.settings));
  app.put(`${CONTROLS}/settings`, async (c) => {
    const changes = await readControlBody(c, sessionSettingsSchema.partial());
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    sessions.settings = { ...sessions.settings, ...Object.fromEntries(given) };
    return c.json(sessions.settings);
  });
  app.get(`${CONTROLS}/faults`, (c) => c.json({ data: sessions.faults }));
  app.post(`${CONTROLS}/faults`, async (c) => {
    const fault = await readControlBody(
      c,
      sessionFaultSchema as z.ZodType<z.infer<typeof sessionFaultSchema>>,
    );
    sessions.faults.push(fault);
    return c.json(fault, 201);
  });
  app.delete(`${CONTROLS}/faults`, (c) => c.json({ removed: sessions.faults.splice(0).length }));
}

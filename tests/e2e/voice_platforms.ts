import type { JsonObject } from "../setup/http.ts";

/** A request that one of the made-up platforms got. */
export interface PlatformRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: Headers;
  body: JsonObject | null;
}

export interface VoicePlatforms {
  /** Settings for a service that uses them. */
  env: Record<string, string>;
  requests: PlatformRequest[];
  /** What the voice platform answers from now on, instead of what it should. */
  answerWith(status: number, body: unknown): void;
}

export const VOICE_KEY = "xi-test-key-of-the-voice-platform";
export const LIVEKIT = { key: "lk-test-key", secret: "lk-test-secret-that-nobody-may-ever-see" };

const SIGNED_URL =
  "wss://voice.example/v1/convai/conversation?agent_id=agent_test&conversation_signature=cvtkn_1";

/** What was said in the conversation `conv_known` of the agent `agent_test`; `conv_other` is another agent's. */
const CONVERSATION = {
  agent_id: "agent_test",
  conversation_id: "conv_known",
  status: "in-progress",
  transcript: [
    { role: "agent", message: "Hello", time_in_call_secs: 0, tool_calls: [] },
    { role: "user", message: "Hi", time_in_call_secs: 2.5 },
    { role: "agent", message: null, time_in_call_secs: 3 },
    { role: "tool", message: "x" },
  ],
};

const ANSWERS: Record<string, unknown> = {
  "GET /v1/convai/conversation/get-signed-url?agent_id=agent_test": { signed_url: SIGNED_URL },
  "GET /v1/convai/conversation/token?agent_id=agent_test": {
    token: "a.webrtc.token",
    conversation_id: "conv_1",
  },
  "GET /v1/convai/conversations/conv_known": CONVERSATION,
  "GET /v1/convai/conversations/conv_other": { ...CONVERSATION, agent_id: "agent_of_others" },
  "POST /v1/convai/conversations/conv_known/feedback": {},
  "POST /twirp/livekit.RoomService/CreateRoom": { sid: "RM_1", name: "room" },
  "POST /twirp/livekit.RoomService/DeleteRoom": {},
  "GET /manifest.json": {
    files: {
      elevenlabs_client: { url: "/assets/client-abc.js", integrity: "sha384-abc", bytes: 1, gzip_bytes: 1 },
    },
  },
};

/** Calls `fn` with a voice platform, a real-time platform and a widget host that know just enough. */
export async function withVoicePlatforms(fn: (platforms: VoicePlatforms) => Promise<void>): Promise<void> {
  const requests: PlatformRequest[] = [];
  let forced: { status: number; body: unknown } | undefined;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const path = `${pathname}${search}`;
    const text = await request.text();
    requests.push({
      method: request.method,
      path,
      headers: request.headers,
      body: text ? JSON.parse(text) : null,
    });
    if (forced && path.startsWith("/v1/")) return Response.json(forced.body, { status: forced.status });
    const answer = ANSWERS[`${request.method} ${path}`];
    return answer === undefined
      ? Response.json({ detail: { status: "conversation_not_found" } }, { status: 404 })
      : Response.json(answer);
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const env = {
    ...{ ELEVENLABS_API_URL: url, ELEVENLABS_API_KEY: VOICE_KEY, WIDGET_URL: url },
    ...{ LIVEKIT_URL: url, LIVEKIT_API_KEY: LIVEKIT.key, LIVEKIT_API_SECRET: LIVEKIT.secret },
  };
  try {
    await fn({ env, requests, answerWith: (status, body) => void (forced = { status, body }) });
  } finally {
    await server.shutdown();
  }
}

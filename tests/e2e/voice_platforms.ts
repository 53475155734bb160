import { closeServer } from "../setup/http/close_server.ts";
import type { JsonObject } from "../setup/http/http.ts";

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
  /** The response of the voice platform from now on; undefined restores the right one. */
  respondWith(status: number | undefined, body?: unknown): void;
  /** How long ago the conversations began that the platform knows, and how long they were once they are over. */
  conversations: { agoS: number; durationS: number | null };
  /** The conversation that the next signed URL is for; without one the platform does not say it. */
  nextConversation: string | undefined;
  /** The number of participants in each room that was made. */
  rooms: Map<string, number>;
}

export const VOICE_KEY = "xi-test-key-of-the-voice-platform";
export const LIVEKIT = { key: "lk-test-key", secret: "lk-test-secret-that-must-never-be-shown" };

const SIGNED_URL =
  "wss://voice.example/v1/convai/conversation?agent_id=agent_test&conversation_signature=cvtkn_1";

/** The conversation `conv_known` of the agent `agent_test`; `conv_other` is another agent's. */
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

const RESPONSES: Record<string, unknown> = {
  "GET /v1/convai/conversation/token?agent_id=agent_test": {
    token: "a.webrtc.token",
    conversation_id: "conv_1",
  },
  "POST /v1/convai/conversations/conv_known/feedback": {},
  "GET /manifest.json": {
    files: {
      elevenlabs_client: { url: "/assets/client-abc.js", integrity: "sha384-abc", bytes: 1, gzip_bytes: 1 },
    },
  },
};

const SIGN = "GET /v1/convai/conversation/get-signed-url?agent_id=agent_test&include_conversation_id=true";

/** Conversations that any caller may ask for: of `agent_test`, and of another company's agent. */
const AGENTS: Record<string, string> = {
  conv_known: "agent_test",
  conv_second: "agent_test",
  conv_other: "agent_of_others",
};

type State = Pick<VoicePlatforms, "conversations" | "nextConversation" | "rooms">;

function responseOf(state: State, route: string, body: JsonObject | null): unknown {
  const conversation = /^GET \/v1\/convai\/conversations\/(\w+)$/.exec(route)?.[1];
  if (conversation !== undefined) return describe(state, conversation);
  const method = /^POST \/twirp\/livekit\.RoomService\/(\w+)$/.exec(route)?.[1];
  if (method !== undefined) return responseOfRooms(state.rooms, method, body!);
  if (route !== SIGN) return RESPONSES[route];
  return { signed_url: SIGNED_URL, conversation_id: state.nextConversation };
}

function describe({ conversations: { agoS, durationS } }: State, id: string): JsonObject | undefined {
  const agent_id = AGENTS[id];
  return agent_id === undefined ? undefined : {
    ...CONVERSATION,
    agent_id,
    conversation_id: id,
    status: durationS === null ? "in-progress" : "done",
    metadata: {
      start_time_unix_secs: Math.floor(Date.now() / 1000) - agoS,
      call_duration_secs: durationS ?? 0,
    },
  };
}

function responseOfRooms(rooms: Map<string, number>, method: string, body: JsonObject): unknown {
  const room = (body.name ?? body.room ?? body.names[0]) as string;
  if (method === "CreateRoom") rooms.set(room, 0);
  if (method === "DeleteRoom") rooms.delete(room);
  if (method === "ListRooms") return { rooms: rooms.has(room) ? [{ sid: "RM_1", name: room }] : [] };
  const participants = Array.from({ length: rooms.get(room) ?? 0 }, (_, n) => ({ sid: `PA_${n}` }));
  return method === "ListParticipants" ? { participants } : { sid: "RM_1", name: room };
}

/** Calls `fn` with a voice platform, a real-time platform and a widget host that know just enough. */
export async function withVoicePlatforms(fn: (platforms: VoicePlatforms) => Promise<void>): Promise<void> {
  const requests: PlatformRequest[] = [];
  let forced: { status: number; body: unknown } | undefined;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const path = `${pathname}${search}`;
    const text = await request.text();
    const body = text ? JSON.parse(text) : null;
    requests.push({ method: request.method, path, headers: request.headers, body });
    if (forced && path.startsWith("/v1/")) return Response.json(forced.body, { status: forced.status });
    const response = responseOf(platforms, `${request.method} ${path}`, body);
    return response === undefined
      ? Response.json({ detail: { status: "conversation_not_found" } }, { status: 404 })
      : Response.json(response);
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const platforms: VoicePlatforms = {
    env: {
      ...{ ELEVENLABS_API_URL: url, ELEVENLABS_API_KEY: VOICE_KEY, OUTBOUND_WIDGET_URL: url },
      ...{ LIVEKIT_URL: url, LIVEKIT_API_KEY: LIVEKIT.key, LIVEKIT_API_SECRET: LIVEKIT.secret },
    },
    requests,
    respondWith: (status, body) => void (forced = status === undefined ? undefined : { status, body }),
    conversations: { agoS: 0, durationS: null },
    nextConversation: undefined,
    rooms: new Map(),
  };
  try {
    await fn(platforms);
  } finally {
    await closeServer(server);
  }
}

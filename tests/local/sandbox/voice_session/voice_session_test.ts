import assert from "node:assert/strict";
import { Conversation } from "@elevenlabs/client";
import { startSandbox } from "../../../../local/sandbox/start.ts";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http/http.ts";

const KEY = "voice-key";
const AGENT = { agentId: "agent_demo1", name: "Demo", firstMessage: "Hello, how can I help?" };

interface Sessions {
  url: string;
  /** Calls the sandbox with the platform's key; the body is JSON. */
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: JsonObject }>;
  signedUrl(): Promise<string>;
}

async function withSessions(fn: (sessions: Sessions) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox({
    port: 0,
    webhookUrl: null,
    appSecret: "secret",
    accounts: [],
    voiceSessions: {
      accounts: [{ apiKey: KEY, agents: [AGENT] }],
      livekit: { apiKey: "devkey", apiSecret: "secret-of-thirty-two-characters!!" },
    },
  });
  const call: Sessions["call"] = async (method, path, body) => {
    const response = await fetch(`${sandbox.url}${path}`, {
      method,
      headers: { "xi-api-key": KEY, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const signedUrl = async () => {
    const { body } = await call("GET", "/v1/convai/conversation/get-signed-url?agent_id=agent_demo1");
    return body.signed_url as string;
  };
  try {
    await fn({ url: sandbox.url, call, signedUrl });
  } finally {
    await sandbox.close();
  }
}

/** Starts a session with the platform's own client, without sound, and keeps what it receives. */
async function startTextSession(signedUrl: string, clientTools = {}) {
  const messages: { role: string; message: string }[] = [];
  const ended = Promise.withResolvers<JsonObject>();
  const errors: string[] = [];
  const session = await Conversation.startSession({
    signedUrl,
    textOnly: true,
    clientTools,
    onMessage: ({ role, message }) => messages.push({ role, message }),
    onDisconnect: (details) => ended.resolve(details as unknown as JsonObject),
    onError: (message) => errors.push(message),
  });
  return { session, messages, ended: ended.promise, errors };
}

/** Waits until the platform has seen the end of a conversation, and its socket is closed. */
async function doneConversation(call: Sessions["call"], id: string): Promise<JsonObject> {
  return await eventually(async () => {
    const { body } = await call("GET", `/v1/convai/conversations/${id}`);
    assert.equal(body.status, "done");
    return body;
  });
}

Deno.test("voice sessions: the platform's client talks, hangs up, and the conversation can be read", () =>
  withSessions(async ({ call, signedUrl }) => {
    const { session, messages, ended } = await startTextSession(await signedUrl());
    session.sendUserMessage("Where are you?");
    await eventually(() => assert.equal(messages.length, 3));

    await session.endSession();

    assert.deepEqual(messages, [
      { role: "agent", message: AGENT.firstMessage },
      { role: "user", message: "Where are you?" },
      { role: "agent", message: "You said: Where are you?" },
    ]);
    assert.equal((await ended).reason, "user");
    const conversation = await doneConversation(call, session.getId());
    assert.deepEqual((conversation.transcript as JsonObject[]).map(({ role }) => role), [
      "agent",
      "user",
      "agent",
    ]);
    assert.equal((conversation.metadata as JsonObject).text_only, true);
  }));

Deno.test("voice sessions: the agent hangs up when the visitor says bye", () =>
  withSessions(async ({ call, signedUrl }) => {
    const { session, ended } = await startTextSession(await signedUrl());

    session.sendUserMessage("Bye");

    assert.equal((await ended).reason, "agent");
    await doneConversation(call, session.getId());
  }));

Deno.test("voice sessions: the agent uses the visitor's search tool and says what it found", () =>
  withSessions(async ({ signedUrl }) => {
    const asked: unknown[] = [];
    const search = (parameters: unknown) => {
      asked.push(parameters);
      return "We ship to Peru.";
    };
    const { session, messages } = await startTextSession(await signedUrl(), { search });

    session.sendUserMessage("search for shipping");

    await eventually(() => assert.equal(messages.at(-1)?.message, "We ship to Peru."));
    assert.deepEqual(asked, [{ query: "shipping" }]);
    await session.endSession();
  }));

Deno.test("voice sessions: sound gets a reply, in the middle of a sentence too", () =>
  withSessions(async ({ call, signedUrl }) => {
    await call("PUT", "/sandbox/voice-sessions/settings", { hear_after_ms: 100 });
    const socket = new WebSocket(await signedUrl(), ["convai"]);
    const frames: JsonObject[] = [];
    socket.onmessage = ({ data }) => frames.push(JSON.parse(data));
    socket.onopen = () => socket.send('{"type":"conversation_initiation_client_data"}');
    const count = (type: string) => frames.filter((frame) => frame.type === type).length;
    await eventually(() => assert.ok(count("audio") > 0));
    assert.equal(frames[0]?.type, "conversation_initiation_metadata");

    socket.send('{"type":"user_message","text":"Wait"}');

    await eventually(() => assert.equal(count("interruption"), 1));
    const second = new Uint8Array(16_000).toBase64();
    await eventually(() => {
      socket.send(JSON.stringify({ user_audio_chunk: second }));
      assert.equal(count("user_transcript"), 2);
    });
    const cut = frames.findIndex(({ type }) => type === "interruption");
    const turn = (frames[cut]!.interruption_event as JsonObject).event_id;
    const late = frames.slice(cut).filter(({ audio_event }) =>
      (audio_event as JsonObject)?.event_id === turn
    );
    assert.deepEqual(late, []);
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close(1000);
    await closed;
  }));

Deno.test("voice sessions: refusals reach the client with their reason", () =>
  withSessions(async ({ call, signedUrl }) => {
    const url = await signedUrl();
    await call("POST", "/sandbox/voice-sessions/faults", {
      refuse: { code: 1008, reason: "agent not found" },
    });
    await assert.rejects(startTextSession(url), /agent not found/);
    await assert.rejects(startTextSession(url.replace("cvtkn_", "cvtkn_0")), /invalid or has expired/);

    await call("POST", "/sandbox/voice-sessions/faults", { drop_after_ms: 0, metadata_ms: 10 });
    const { ended } = await startTextSession(url);

    assert.equal((await ended).reason, "error");
  }));

Deno.test("voice sessions: only the key's own agents are opened, and other keys see nothing", () =>
  withSessions(async ({ url, call, signedUrl }) => {
    const path = "/v1/convai/conversation/get-signed-url";
    assert.equal((await call("GET", `${path}?agent_id=other`)).status, 404);
    assert.equal((await call("GET", path)).status, 422);
    const refused = await fetch(`${url}${path}?agent_id=agent_demo1`);
    assert.equal(refused.status, 401);
    assert.equal((await refused.json()).detail.code, "missing_api_key");
    await call("POST", "/sandbox/voice-sessions/faults", { http: 503 });
    assert.equal((await call("GET", `${path}?agent_id=agent_demo1`)).status, 503);

    const { session } = await startTextSession(await signedUrl());
    await session.endSession();

    const foreign = await fetch(`${url}/v1/convai/conversations/${session.getId()}`, {
      headers: { "xi-api-key": "other" },
    });
    await foreign.body?.cancel();
    assert.equal(foreign.status, 401);
  }));

Deno.test("voice sessions: a token for WebRTC names its conversation as the room", () =>
  withSessions(async ({ call }) => {
    const { body } = await call("GET", "/v1/convai/conversation/token?agent_id=agent_demo1");

    const claims = JSON.parse(
      atob(String(body.token).split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")),
    );
    assert.equal(claims.video.room, `room_${body.conversation_id}`);
    assert.equal(claims.iss, "devkey");
  }));

/** Opens a socket with a signed URL, sends frames, and returns the code and the reason of its end. */
async function endOf(url: string, frames: JsonObject[]): Promise<[number, string]> {
  const socket = new WebSocket(url, ["convai"]);
  const ended = Promise.withResolvers<[number, string]>();
  socket.onopen = () => frames.forEach((frame) => socket.send(JSON.stringify(frame)));
  socket.onclose = ({ code, reason }) => ended.resolve([code, reason]);
  return await ended.promise;
}

const INITIATION = {
  type: "conversation_initiation_client_data",
  conversation_config_override: { conversation: { text_only: true } },
};

Deno.test("voice sessions: what comes in the wrong order is refused", () =>
  withSessions(async ({ call, signedUrl }) => {
    const message = { type: "user_message", text: "Hello" };
    assert.deepEqual(await endOf(await signedUrl(), [message]), [
      1008,
      "The first message must be conversation_initiation_client_data",
    ]);
    await call("POST", "/sandbox/voice-sessions/faults", { metadata_ms: 60_000 });
    assert.deepEqual(await endOf(await signedUrl(), [INITIATION, message]), [
      1008,
      "No message may come before conversation_initiation_metadata",
    ]);
  }));

Deno.test("voice sessions: in writing, a message comes in parts and then whole, and context stays with the session", () =>
  withSessions(async ({ call, signedUrl }) => {
    const socket = new WebSocket(await signedUrl(), ["convai"]);
    const frames: JsonObject[] = [];
    socket.onmessage = ({ data }) => frames.push(JSON.parse(data));
    socket.onopen = () => socket.send(JSON.stringify(INITIATION));
    await eventually(() => assert.ok(frames.some(({ type }) => type === "agent_response")));
    socket.send('{"type":"contextual_update","text":"The visitor is Ana"}');
    socket.send('{"type":"user_message","text":"Please transfer me"}');
    await eventually(() => assert.ok(frames.some(({ type }) => type === "agent_tool_response")));
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close(1000);
    await closed;

    assert.deepEqual(frames.map(({ type }) => type), [
      "conversation_initiation_metadata",
      "ping",
      ...Array(3).fill("agent_chat_response_part"),
      "agent_response",
      "user_transcript",
      "agent_tool_response",
    ]);
    assert.equal((frames.at(-1)!.agent_tool_response as JsonObject).tool_name, "transfer_to_number");
    const { body } = await call("GET", "/sandbox/voice-sessions");
    assert.deepEqual((body.data as JsonObject[])[0]!.sandbox, { context: ["The visitor is Ana"] });
  }));

Deno.test("voice sessions: a fault of one agent leaves the others alone", () =>
  withSessions(async ({ call, signedUrl }) => {
    await call("POST", "/sandbox/voice-sessions/faults", { agent_id: "another", silent: true });
    const { session, messages } = await startTextSession(await signedUrl());
    session.sendUserMessage("Hello");
    await eventually(() => assert.equal(messages.at(-1)?.message, "You said: Hello"));
    await session.endSession();
  }));

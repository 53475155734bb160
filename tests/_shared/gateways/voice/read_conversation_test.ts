import assert from "node:assert/strict";
import {
  type ConversationState,
  findConversations,
  readConversation,
} from "../../../../supabase/functions/_shared/gateways/voice/conversations.ts";
import { closedPort, withHttpServer } from "../local_server.ts";

const NOW = new Date("2026-05-28T20:30:00Z");
const QUERY = { apiKey: "sk_very-secret-key", conversationId: "conv_1", now: NOW };
const IN_TIME = { timeoutMs: 5_000 };

async function stateOf(answer: (request: Request) => Response): Promise<ConversationState> {
  let state: ConversationState | undefined;
  await withHttpServer(answer, async (apiUrl) => {
    state = await readConversation({ apiUrl }, QUERY, IN_TIME);
  });
  return state!;
}

const conversation = (status: string) => () =>
  Response.json({
    agent_id: "agent_1",
    conversation_id: "conv_1",
    status,
    user_id: "ours",
    transcript: [],
    metadata: {
      start_time_unix_secs: 1780000000,
      call_duration_secs: 7,
      phone_call: { call_result: "voicemail" },
    },
    analysis: null,
  });

Deno.test("readConversation() asks for the conversation with the key", async () => {
  let seen: unknown;
  await stateOf(({ method, url, headers }) => {
    seen = [method, new URL(url).pathname, headers.get("xi-api-key")];
    return conversation("done")();
  });

  assert.deepEqual(seen, ["GET", "/v1/convai/conversations/conv_1", QUERY.apiKey]);
});

Deno.test("readConversation() reports a call that is over", async () => {
  const state = await stateOf(conversation("done"));

  assert.ok(state.kind === "finished");
  assert.deepEqual([state.report.outcome, state.report.durationS, state.report.reference], [
    "voicemail",
    7,
    "ours",
  ]);
});

for (const status of ["initiated", "in-progress", "processing", "brand_new"]) {
  Deno.test(`readConversation() says that a call is not over: ${status}`, async () => {
    assert.deepEqual(await stateOf(conversation(status)), { kind: "running" });
  });
}

Deno.test("readConversation() distinguishes a missing conversation from a platform in trouble", async () => {
  const missing = await stateOf(() =>
    Response.json({ detail: { code: "conversation_not_found" } }, { status: 404 })
  );
  const broken = await stateOf(() => new Response("<html>", { status: 502 }));
  const senseless = await stateOf(() => Response.json({ hello: 1 }));
  const away = await readConversation({ apiUrl: `http://127.0.0.1:${closedPort()}` }, QUERY, IN_TIME);

  assert.deepEqual([missing, broken, senseless, away].map(({ kind }) => kind), [
    "missing",
    "unavailable",
    "unavailable",
    "unavailable",
  ]);
});

Deno.test("findConversations() lists the conversations of one reference", async () => {
  let query = "";
  await withHttpServer(({ url }) => {
    query = new URL(url).searchParams.get("user_id") ?? "";
    const conversations = [{ conversation_id: "conv_1", status: "done", message_count: 3 }];
    return Response.json({ conversations, next_cursor: null, has_more: false });
  }, async (apiUrl) => {
    const found = await findConversations({ apiUrl }, { apiKey: "sk_key", userId: "a:b&c" }, IN_TIME);

    assert.deepEqual(found, {
      kind: "found",
      conversations: [{ conversationId: "conv_1", status: "done" }],
    });
  });
  assert.equal(query, "a:b&c");
});

Deno.test("findConversations() does not take a refusal for an empty list", () =>
  withHttpServer(() => Response.json({ detail: "no" }, { status: 401 }), async (apiUrl) => {
    const found = await findConversations({ apiUrl }, { apiKey: "sk_key", userId: "a" }, IN_TIME);

    assert.equal(found.kind, "unavailable");
  }));

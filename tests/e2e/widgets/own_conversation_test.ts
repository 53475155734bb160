import assert from "node:assert/strict";
import { assertRefused } from "../assert_refused.ts";
import { type VoiceWidgetApi, withVoiceWidget } from "./with_voice_widget.ts";

type Session = { headers: Record<string, string> };

/** Requests that a session makes about a conversation, by name; each returns the response. */
function uses({ http }: VoiceWidgetApi, session: Session, conversation_id: string) {
  return {
    feedback: () => http.post("/voice-widget/feedback", { conversation_id, rating: 5 }, session),
    handoff: () => http.post("/voice-widget/handoff", { conversation_id }, session),
    transcript: () =>
      http.get("/voice-widget/chat-by-conversation", { ...session, query: { conversation_id } }),
  };
}

Deno.test("a session may use the conversation that the platform named at its start, and no other", () =>
  withVoiceWidget(async (api) => {
    api.platforms.nextConversation = "conv_known";
    const session = await api.session();
    const asked = api.platforms.requests.length;

    for (const [name, use] of Object.entries(uses(api, session, "conv_second"))) {
      assertRefused(await use(), { status: 403, error: "forbidden" }, name);
    }
    assert.equal(api.platforms.requests.length, asked, "the platform was asked nothing");
    for (const [name, use] of Object.entries(uses(api, session, "conv_known"))) {
      assert.equal((await use()).status, 200, name);
    }
    assert.equal((await api.sql`select from outbound.voice_feedback`).length, 1);
  }));

Deno.test("where the platform names none, the first conversation a session names is its own, if it can be", () =>
  withVoiceWidget(async (api) => {
    const [mine, other] = [await api.session(), await api.session()];
    api.platforms.conversations.agoS = 3600;
    assertRefused(
      await uses(api, mine, "conv_known").feedback(),
      { status: 403, error: "forbidden" },
      "older",
    );
    api.platforms.conversations.agoS = 0;
    assertRefused(
      await uses(api, mine, "conv_other").feedback(),
      { status: 404, error: "not_found" },
      "agent",
    );
    assertRefused(await uses(api, mine, "conv_made_up").feedback(), { status: 404, error: "not_found" });
    api.platforms.respondWith(500, {});
    assertRefused(await uses(api, mine, "conv_known").feedback(), {
      status: 502,
      error: "service_unavailable",
    });
    api.platforms.respondWith(undefined);

    assert.equal((await uses(api, mine, "conv_known").feedback()).status, 200);
    assertRefused(await uses(api, mine, "conv_second").feedback(), { status: 403, error: "forbidden" });
    assertRefused(await uses(api, other, "conv_known").handoff(), { status: 403, error: "forbidden" });
    assert.equal((await uses(api, other, "conv_second").handoff()).status, 200);
    const stored = await api.sql`select conversation_id from outbound.voice_feedback`;
    assert.deepEqual(stored.map((row) => row.conversation_id), ["conv_known"]);
  }));

Deno.test("of sessions that name one conversation at once, one has it", () =>
  withVoiceWidget(async (api) => {
    const sessions = await Promise.all(Array.from({ length: 6 }, () => api.session()));

    const responses = await Promise.all(sessions.map((each) => uses(api, each, "conv_known").feedback()));

    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 403, 403, 403, 403, 403]);
  }));

Deno.test("a session ends its own handoff only", () =>
  withVoiceWidget(async (api) => {
    const [mine, other] = [await api.session(), await api.session()];
    const { body: { handoff_id } } = await uses(api, mine, "conv_known").handoff();
    const end = (session: Session) => api.http.post("/voice-widget/handoff/end", { handoff_id }, session);

    assertRefused(await end(other), { status: 404, error: "not_found" });
    assert.equal((await end(mine)).status, 200);
  }));

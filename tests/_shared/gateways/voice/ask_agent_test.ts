import assert from "node:assert/strict";
import { askAgent } from "../../../../supabase/functions/_shared/gateways/voice/ask_agent.ts";
import type {
  AgentQuestion,
  AgentReply,
} from "../../../../supabase/functions/_shared/gateways/voice/text_session.ts";
import { closeServer } from "../../../setup/http/close_server.ts";
import type { JsonObject } from "../../../setup/http/http.ts";

const QUESTION: AgentQuestion = {
  text: "Where is it?",
  context: "Visitor: Hi",
  language: "es",
  userId: "chat-1",
};
const KEY = "xi-key-of-the-platform";

interface Session {
  /** The frames that the platform got, without those with the type `pong`. */
  received: JsonObject[];
  send(type: string, payload?: JsonObject): void;
  socket: WebSocket;
}

/** How a made-up platform goes on after a frame of the client. */
type React = (session: Session, frame: JsonObject) => void;

interface Asked {
  reply: AgentReply;
  sessions: Session[];
}

/** Asks an agent of a platform that reacts as given, with an address of a session that `addressOf` may change. */
async function ask(
  react: React,
  { signal = new AbortController().signal, addressOf = (url: string) => url } = {},
): Promise<Asked> {
  const sessions: Session[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname, host } = new URL(request.url);
    if (pathname === "/v1/convai/conversation/get-signed-url") {
      return Response.json({ signed_url: addressOf(`ws://${host}/session`) });
    }
    const { socket, response } = Deno.upgradeWebSocket(request, { protocol: "convai" });
    const session: Session = {
      received: [],
      send: (type, payload = {}) => socket.send(JSON.stringify({ type, ...payload })),
      socket,
    };
    sessions.push(session);
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data);
      session.received.push(frame);
      react(session, frame);
    };
    return response;
  });
  try {
    const config = { apiUrl: `http://127.0.0.1:${server.addr.port}` };
    return {
      reply: await askAgent(config, { apiKey: KEY, agentId: "agent_1" }, QUESTION, signal),
      sessions,
    };
  } finally {
    await closeServer(server);
  }
}

const open = (session: Session) =>
  session.send("conversation_initiation_metadata", { conversation_initiation_metadata_event: {} });
const say = (session: Session, agent_response: string, event_id?: number) =>
  session.send("agent_response", { agent_response_event: { agent_response, event_id } });
const part = (session: Session, type: string, text: string, event_id: number) =>
  session.send("agent_chat_response_part", { text_response_part: { type, text, event_id } });

/** Reacts with a greeting, and to the question as given. */
function onQuestion(
  react: (session: Session) => void,
  greet = (session: Session) => say(session, "Hello", 1),
): React {
  return (session, { type }) => {
    if (type === "conversation_initiation_client_data") {
      open(session);
      greet(session);
    } else if (type === "user_message") react(session);
  };
}

const replied = (text: string): AgentReply => ({ kind: "replied", text, wantsPerson: false });

Deno.test("askAgent() begins in writing, lets the agent greet, sends context and question, and replies pings", async () => {
  const { reply, sessions } = await ask(onQuestion((session) => {
    session.send("ping", { ping_event: { event_id: 7, ping_ms: null } });
    say(session, " On its way. ", 3);
  }));

  assert.deepEqual(reply, replied("On its way."));
  assert.deepEqual(sessions[0]!.received, [
    {
      type: "conversation_initiation_client_data",
      conversation_config_override: { conversation: { text_only: true } },
      dynamic_variables: { language: "es" },
      user_id: "chat-1",
    },
    { type: "contextual_update", text: "Visitor: Hi" },
    { type: "user_message", text: "Where is it?" },
    { type: "pong", event_id: 7 },
  ]);
});

for (
  const [name, react, expected] of [
    ["an agent without a greeting", onQuestion((s) => say(s, "Yes", 1), () => {}), "Yes"],
    ["frames without ids", onQuestion((s) => say(s, "Yes"), (s) => say(s, "Hello")), "Yes"],
    ["the whole greeting after its parts", (s, { type }) => {
      if (type === "conversation_initiation_client_data") {
        open(s);
        part(s, "start", "Hel", 1);
        part(s, "stop", "lo", 1);
      } else if (type === "user_message") {
        say(s, "Hello", 1);
        say(s, "Yes", 2);
      }
    }, "Yes"],
    [
      "a reply in parts alone",
      onQuestion((s) => {
        part(s, "start", "", 2);
        part(s, "delta", "It is ", 2);
        part(s, "delta", "here", 2);
        part(s, "stop", "", 2);
      }),
      "It is here",
    ],
    [
      "a correction",
      onQuestion((s) => {
        say(s, "At ten", 2);
        s.send("agent_response_correction", {
          agent_response_correction_event: {
            original_agent_response: "At ten",
            corrected_agent_response: "At nine",
            event_id: 2,
          },
        });
      }),
      "At nine",
    ],
    [
      "a second message after a tool",
      onQuestion((s) => {
        say(s, "Let me look.", 2);
        s.send("agent_tool_request", { agent_tool_request: { tool_name: "orders", tool_call_id: "t1" } });
        setTimeout(() => {
          s.send("agent_tool_response", { agent_tool_response: { tool_name: "orders", tool_call_id: "t1" } });
          say(s, "It is here.", 3);
        }, 1500);
      }),
      "Let me look.\n\nIt is here.",
    ],
    ["a tool of a browser, which there is not", (s, frame) => {
      if (frame.type === "conversation_initiation_client_data") {
        open(s);
        say(s, "Hello", 1);
      } else if (frame.type === "user_message") {
        s.send("client_tool_call", { client_tool_call: { tool_name: "open", tool_call_id: "t1" } });
      } else if (frame.type === "client_tool_result" && frame.is_error === true) say(s, "I cannot.", 3);
    }, "I cannot."],
    [
      "words before the platform closes",
      onQuestion((s) => {
        say(s, "Bye", 2);
        s.socket.close(1000);
      }),
      "Bye",
    ],
    [
      "frames that are no JSON, binary, unknown or broken",
      onQuestion((s) => {
        s.socket.send("<html>");
        s.socket.send(new Uint8Array([1, 2]));
        s.send("agent_response", { agent_response_event: { agent_response: 7 } });
        s.send("something_new", { x: 1 });
        say(s, "Yes", 2);
      }),
      "Yes",
    ],
  ] as [string, React, string][]
) {
  Deno.test(`askAgent() takes ${name}`, async () =>
    assert.deepEqual((await ask(react)).reply, replied(expected)));
}

for (
  const [name, react, isFinal, reason] of [
    [
      "a session that is refused",
      (s) => s.socket.close(1008, `no agent ${KEY}`),
      true,
      /\(1008\): no agent \[token\]$/,
    ],
    ["a broken connection", (s) => s.socket.close(1011, ""), false, /\(1011\)$/],
    [
      "an error of the agent's setup",
      (s) => {
        s.send("error", { error_event: { code: 1008, error_type: "missing_dynamic_variable" } });
      },
      true,
      /missing_dynamic_variable/,
    ],
    [
      "an error of the model",
      onQuestion((s) => {
        s.send("error", { error_event: { code: 1011, error_type: "llm_timeout", message: "x" } });
      }),
      false,
      /llm_timeout: x/,
    ],
    [
      "an agent that hangs up without a word",
      onQuestion((s) => {
        s.send("agent_tool_response", { agent_tool_response: { tool_name: "end_call", tool_call_id: "e" } });
      }),
      false,
      /hung up/,
    ],
    ["a frame of any length", onQuestion((s) => say(s, "x".repeat(300_000), 2)), true, /more than/],
    [
      "frames without end",
      onQuestion((s) => {
        for (let n = 0; n < 50; n++) s.send("audio", { audio_event: { audio_base_64: "x".repeat(100_000) } });
      }),
      true,
      /more than/,
    ],
  ] as [string, React, boolean, RegExp][]
) {
  Deno.test(`askAgent() returns ${name} as a failure that ${isFinal ? "stays" : "passes"}`, async () => {
    const { reply } = await ask(react);

    assert.ok(reply.kind === "failed");
    assert.equal(reply.isFinal, isFinal);
    assert.match(reply.reason, reason);
  });
}

Deno.test("askAgent() says that the agent gives the conversation to a person", async () => {
  const { reply } = await ask(onQuestion((s) => {
    say(s, "I get a colleague.", 2);
    s.send("agent_tool_response", {
      agent_tool_response: { tool_name: "transfer_to_number", tool_call_id: "t" },
    });
  }));

  assert.deepEqual(reply, { kind: "replied", text: "I get a colleague.", wantsPerson: true });
});

Deno.test("askAgent() ends with its signal: at the end of the time with what was said, else as stopped", async () => {
  for (
    const [name, said, expected] of [
      ["TimeoutError", "One moment", replied("One moment")],
      ["TimeoutError", "", { kind: "failed", isFinal: false, reason: "The agent did not reply in time" }],
      ["AbortError", "One moment", { kind: "stopped" }],
    ] as const
  ) {
    const controller = new AbortController();
    const { reply } = await ask(
      onQuestion((s) => {
        if (said !== "") say(s, said, 2);
        s.send("agent_tool_request", { agent_tool_request: { tool_name: "orders", tool_call_id: "t1" } });
        setTimeout(() => controller.abort(new DOMException("", name)), 200);
      }),
      { signal: controller.signal },
    );

    assert.deepEqual(reply, expected);
  }
});

Deno.test("askAgent() enters no session without encryption on another host than the platform's own", async () => {
  const { reply, sessions } = await ask(() => {}, {
    addressOf: (url) => url.replace("127.0.0.1", "localhost"),
  });

  assert.ok(reply.kind === "failed" && reply.isFinal);
  assert.match(reply.reason, /not encrypted/);
  assert.equal(sessions.length, 0);
});

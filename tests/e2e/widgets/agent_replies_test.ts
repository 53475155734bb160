import assert from "node:assert/strict";
import { runDispatcher } from "../../../supabase/functions/_shared/dispatching/dispatcher.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertAgent, insertMember } from "../../setup/fixtures/fixtures.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { type Api, type Tenant, withApi } from "../with_api.ts";
import { followChat } from "./follow_chat.ts";
import { openChat, type TestChat } from "./open_chat.ts";

const PLATFORM_KEY = "xi-key-of-the-installation-in-tests";

interface AgentApi extends Api {
  /** A chat of a widget that the company's agent replies. */
  open(visitor?: JsonObject): Promise<TestChat>;
  /** Makes an agent of a company, known to the platform, and a chat that it replies. */
  openOf(tenant: Tenant): Promise<{ chat: TestChat; agentId: string }>;
  /** Runs a dispatcher until the test ends. */
  startDispatcher(): void;
  /** Sets a fault of the platform's sessions. */
  addFault(fault: JsonObject): Promise<void>;
  /** The sessions that the platform held. */
  sessions(): Promise<JsonObject[]>;
  /** The conversation as the company's inbox lists it. */
  inInbox(chat: TestChat): Promise<JsonObject>;
}

function withAgents(
  use: (api: AgentApi) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  return withApi(async (api) => {
    const stop = new AbortController();
    const running: Promise<unknown>[] = [];
    const control = async (method: string, path: string, body?: JsonObject) => {
      const response = await fetch(`${api.sandbox.url}/sandbox/voice-sessions${path}`, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      return await response.json() as JsonObject;
    };
    const agents: JsonObject[] = [];
    const openOf = async (tenant: Tenant, visitor: JsonObject = {}) => {
      const { platform_agent_id: agentId } = await insertAgent(api.sql, tenant.company.id);
      agents.push({ agentId, name: "Shop", firstMessage: "Hello, I am Shop" });
      await api.sandbox.addVoiceAccount(
        { ...api.sender, token: PLATFORM_KEY },
        { agents } as unknown as Parameters<typeof api.sandbox.addVoiceAccount>[1],
      );
      const config = { assistant: { mode: "agent", agent_id: agentId } };
      return { agentId, chat: await openChat({ ...api, ...tenant }, visitor, config) };
    };
    try {
      await use({
        ...api,
        openOf,
        open: async (visitor) => (await openOf(api, visitor)).chat,
        startDispatcher: () =>
          void running.push(runDispatcher(api.dispatcherServices, { signal: stop.signal })),
        addFault: async (fault) => void await control("POST", "/faults", fault),
        sessions: async () => (await control("GET", "")).data as JsonObject[],
        async inInbox({ id }) {
          const query = { access_key: api.key.key };
          return (await api.http.get(`/manage/companies/mine/conversations/${id}`, { query })).body;
        },
      });
    } finally {
      stop.abort();
      await Promise.all(running);
    }
    const leaked = api.logs.filter((line) =>
      /cvtkn_|You said|parcel/.test(line) || line.includes(PLATFORM_KEY)
    );
    assert.deepEqual(leaked, []);
  }, { env: { OUTBOUND_WIDGET_URL: "https://widgets.example", ELEVENLABS_API_KEY: PLATFORM_KEY, ...env } });
}

const read = async (chat: TestChat): Promise<JsonObject[]> => (await chat.read()).body.messages;

/** Waits for so many messages, and returns the texts with their authors. */
async function untilThere({ sql }: Api, chat: TestChat, count: number): Promise<string[]> {
  // How often a visitor may read is limited.
  await eventually(async () => {
    const [row] = await sql`select last_sequence from outbound.conversations where id = ${chat.id}`;
    assert.equal(row!.last_sequence, count);
  });
  return (await read(chat)).map(({ author, text }) => `${author}: ${text}`);
}

const owed = async ({ sql }: Api) => (await sql`select from outbound.agent_replies`).length;

const PERSON = "system: A person will reply here.";

Deno.test("the company's agent replies to a visitor, as a machine, without its greeting", () =>
  withAgents(async (api) => {
    const chat = await api.open({ language: "es-PE" });
    const said = await chat.say("Where is my parcel?");
    assert.equal(said.status, 200);
    assert.deepEqual((await read(chat)).map(({ author }) => author), ["visitor"]);
    api.startDispatcher();

    assert.deepEqual(await untilThere(api, chat, 2), [
      "visitor: Where is my parcel?",
      "operator: You said: Where is my parcel?",
    ]);
    const [, reply] = await read(chat);
    assert.deepEqual(reply!.sender, { name: "Asistente", is_machine: true });
    const { state, last_written_by, handoff_requested_at } = await api.inInbox(chat);
    assert.deepEqual([state, last_written_by.kind, handoff_requested_at], ["answered", "automatic", null]);
    const [session] = await api.sessions();
    assert.deepEqual(
      [session!.metadata.text_only, session!.conversation_initiation_client_data, session!.user_id],
      [true, { dynamic_variables: { language: "es" } }, chat.id],
    );
    assert.equal(await owed(api), 0);
  }));

Deno.test("a visitor sees that the assistant is typing until it has replied, or a person has been asked for", () =>
  withAgents(async (api) => {
    for (const end of ["reply", "person"] as const) {
      const chat = await api.open();
      const page = await followChat(api.url, chat.id, chat.asVisitor);
      const typing = () => page.events.filter(({ event }) => event === "typing").map(({ data }) => data);
      try {
        await chat.say("Hello");
        await eventually(() =>
          assert.deepEqual(typing(), [{ author: "operator", is_typing: true, name: "Assistant" }])
        );
        if (end === "reply") api.startDispatcher();
        else await chat.requestPerson();
        await eventually(() => assert.equal(typing().at(-1)!.is_typing, false));
      } finally {
        await page.leave();
      }
    }
  }));

Deno.test("messages in quick succession get one reply, and later ones the conversation as context", () =>
  withAgents(async (api) => {
    const chat = await api.open();
    await chat.say("Hello");
    await chat.say("Where is my parcel?");
    api.startDispatcher();
    assert.equal((await untilThere(api, chat, 3))[2], "operator: You said: Hello\nWhere is my parcel?");

    await chat.say("And when?");
    assert.equal((await untilThere(api, chat, 5))[4], "operator: You said: And when?");
    const sessions = await api.sessions();
    assert.equal(sessions.length, 2);
    assert.deepEqual(sessions.map(({ sandbox }) => sandbox.context), [[], [[
      "The conversation so far:",
      "Visitor: Hello",
      "Visitor: Where is my parcel?",
      "Company: You said: Hello\nWhere is my parcel?",
    ].join("\n")]]);
  }));

Deno.test("a message while the agent is asked is part of what it replies", () =>
  withAgents(async (api) => {
    const chat = await api.open();
    await api.addFault({ metadata_ms: 1000 });
    await chat.say("Hello");
    api.startDispatcher();
    await eventually(async () =>
      assert.equal((await api.sql`select from outbound.agent_replies where worker is not null`).length, 1)
    );
    await chat.say("Where is my parcel?");

    assert.equal((await untilThere(api, chat, 3))[2], "operator: You said: Hello\nWhere is my parcel?");
    assert.equal(await owed(api), 0);
  }));

Deno.test("a visitor who repeats a message gets one reply", () =>
  withAgents(async (api) => {
    const chat = await api.open();
    const client_message_id = crypto.randomUUID();
    const ask = () => chat.say("Hello", { client_message_id });
    await Promise.all([ask(), ask()]);
    api.startDispatcher();
    await untilThere(api, chat, 2);
    await ask();

    assert.equal(await owed(api), 0);
    assert.equal((await read(chat)).length, 2);
  }));

for (
  const [name, act, kept] of [
    ["the visitor has asked for a person", (chat) => chat.requestPerson(), [
      "visitor: Hello",
      "system: You asked for a person. We will reply here.",
    ]],
    ["a member has replied", (chat) => chat.reply("Here I am"), ["visitor: Hello", "operator: Here I am"]],
    ["the conversation has ended", (chat) => chat.close(), ["visitor: Hello"]],
    ["a member has taken the conversation", async (chat, { sql, company }) => {
      const { user_id } = await insertMember(sql, company.id);
      await sql`update outbound.conversations set assigned_to = ${user_id} where id = ${chat.id}`;
    }, ["visitor: Hello"]],
  ] as [string, (chat: TestChat, api: Api) => Promise<unknown>, string[]][]
) {
  Deno.test(`no reply is stored once ${name}, while the agent is asked or before`, () =>
    withAgents(async (api) => {
      const [asked, waiting] = [await api.open(), await api.open()];
      await api.addFault({ metadata_ms: 1000 });
      await asked.say("Hello");
      api.startDispatcher();
      await eventually(async () =>
        assert.equal((await api.sql`select from outbound.agent_replies where worker is not null`).length, 1)
      );
      await waiting.say("Hello");
      await act(asked, api);
      await act(waiting, api);
      await eventually(async () => assert.equal(await owed(api), 0));

      assert.deepEqual([
        await untilThere(api, asked, kept.length),
        await untilThere(api, waiting, kept.length),
      ], [
        kept,
        kept,
      ]);
    }));
}

Deno.test("while the platform is away the reply waits, and follows once it is back", () =>
  withAgents(async (api) => {
    const chat = await api.open();
    await api.addFault({ http: 503 });
    await chat.say("Hello");
    api.startDispatcher();

    assert.equal((await untilThere(api, chat, 2))[1], "operator: You said: Hello");
    assert.ok(api.logs.some((line) => line.includes("a chat waits for its agent")));
  }));

Deno.test("a connection that breaks before the reply is followed by another one", () =>
  withAgents(async (api) => {
    const chat = await api.open();
    await api.addFault({ drop_after_ms: 0, silent: true });
    await chat.say("Hello");
    api.startDispatcher();

    assert.equal((await untilThere(api, chat, 2))[1], "operator: You said: Hello");
    assert.equal((await api.sessions()).length, 2);
  }));

Deno.test("an agent that cannot reply in time hands over to a person, whom the event calls", () =>
  withAgents(async (api) => {
    const { sql, company } = api;
    await insertWebhook(sql, company.id);
    const chat = await api.open();
    await api.addFault({ http: 503, times: 10 });
    await chat.say("Hello");
    await sql`update outbound.agent_replies set owed_at = now() - interval '90 seconds'`;
    api.startDispatcher();

    assert.deepEqual(await untilThere(api, chat, 2), ["visitor: Hello", PERSON]);
    const [, notice] = await read(chat);
    assert.equal(notice!.notice, "person_requested");
    const { state, handoff_requested_at } = await api.inInbox(chat);
    assert.equal(state, "unanswered");
    assert.ok(handoff_requested_at);
    const types = (await readEvents(sql, company.id)).map(({ type }) => type);
    assert.equal(types.filter((type) => type === "conversation.handoff_requested").length, 1);
    await chat.say("Hello?");
    assert.equal(await owed(api), 0);
  }));

for (
  const [name, prepare] of [
    ["the platform does not know the agent", async ({ sandbox, sender }) => {
      await sandbox.addVoiceAccount({ ...sender, token: PLATFORM_KEY }, { agents: [] });
    }],
    [
      "the agent is disabled",
      async ({ sql }) => void await sql`update outbound.voice_agents set status = 'disabled'`,
    ],
    [
      "the widget has no agent any more",
      async ({ sql }) => void await sql`update outbound.widgets set config = '{}'`,
    ],
    [
      "the platform refuses the session",
      async ({ addFault }) => await addFault({ refuse: { code: 1008, reason: "agent not found" } }),
    ],
    ["the agent hangs up without a word", async ({ addFault }) =>
      await addFault({
        error: { code: 1008, message: "x", error_type: "missing_dynamic_variable" },
        silent: true,
      })],
  ] as [string, (api: AgentApi) => Promise<void>][]
) {
  Deno.test(`a person gets the conversation at once where ${name}`, () =>
    withAgents(async (api) => {
      const chat = await api.open();
      await chat.say("Hello");
      await prepare(api);
      api.startDispatcher();

      assert.deepEqual(await untilThere(api, chat, 2), ["visitor: Hello", PERSON]);
      assert.equal(await owed(api), 0);
      assert.ok(api.logs.some((line) => line.includes("a chat goes from its agent to a person")));
    }));
}

for (const [name, key] of [["refuses the key", "xi-wrong"], ["has no key", ""]] as const) {
  Deno.test(`a person gets the conversation at once where the platform ${name}`, () =>
    withAgents(async (api) => {
      const chat = await api.open();
      await chat.say("Hello");
      api.startDispatcher();

      assert.deepEqual(await untilThere(api, chat, 2), ["visitor: Hello", PERSON]);
    }, { ELEVENLABS_API_KEY: key }));
}

Deno.test("an agent that gives the conversation to a person does so", () =>
  withAgents(async (api) => {
    const chat = await api.open();
    await chat.say("Please transfer me");
    api.startDispatcher();

    assert.deepEqual(await untilThere(api, chat, 2), ["visitor: Please transfer me", PERSON]);
    assert.ok((await api.inInbox(chat)).handoff_requested_at);
  }));

Deno.test("the last words of an agent that hangs up are its reply", () =>
  withAgents(async (api) => {
    const chat = await api.open();
    await chat.say("Bye");
    api.startDispatcher();

    assert.equal((await untilThere(api, chat, 2))[1], "operator: Goodbye, and thank you for calling.");
  }));

Deno.test("one company's agent that hangs delays no other company's replies", () =>
  withAgents(async (api) => {
    const hanging = await api.openOf(api);
    const quick = await api.openOf(await api.addTenant());
    await api.addFault({ agent_id: hanging.agentId, silent: true, times: 100 });
    await hanging.chat.say("Hello");
    for (let n = 0; n < 20; n++) {
      const { chat: { id } } = hanging;
      await api.sql`
        with copied as (
          insert into outbound.conversations (company_id, widget_id, user_id, token_hash, assistant, last_sequence,
            last_author, last_message_at)
          select company_id, widget_id, gen_random_uuid(), encode(sha256(${`${id}${n}`}::bytea), 'hex'), 'replying', 1,
            'visitor', now()
          from outbound.conversations where id = ${id} returning company_id, id
        )
        insert into outbound.agent_replies (company_id, conversation_id, from_sequence, to_sequence, member_wanted, run_at)
        select company_id, id, 1, 1, false, now() from copied`;
    }
    api.startDispatcher();
    await quick.chat.say("Hello");

    assert.equal((await untilThere(api, quick.chat, 2))[1], "operator: You said: Hello");
    const claimed = await api.sql`
      select company_id from outbound.agent_replies where worker is not null and run_at > now()`;
    assert.deepEqual(claimed.map(({ company_id }) => company_id), Array(8).fill(api.company.id));
  }));

Deno.test("a run that ends when nothing is due does not wait for an agent, whose reply follows", () =>
  withAgents(async (api) => {
    const chat = await api.open();
    await api.addFault({ metadata_ms: 3000 });
    await chat.say("Hello");
    await api.sql`update outbound.agent_replies set run_at = now()`;

    await api.dispatch();

    assert.equal(await owed(api), 1);
    assert.equal((await untilThere(api, chat, 2))[1], "operator: You said: Hello");
  }));

Deno.test("a reply that finds no room goes to a person", () =>
  withAgents(async (api) => {
    const chat = await api.open();
    await api.sql`update outbound.widgets set max_stored_mb_per_day = 0 where id = ${chat.widget.id}`;
    await api.sql`update outbound.conversations set stored_bytes_left = 400 where id = ${chat.id}`;
    await chat.say("Hello");
    api.startDispatcher();

    assert.deepEqual(await untilThere(api, chat, 2), ["visitor: Hello", PERSON]);
  }));

Deno.test("a chat's configuration names one of the company's agents where an agent replies", () =>
  withAgents(async (api) => {
    const { id } = await insertAgent(api.sql, api.company.id);
    const query = { access_key: api.key.key };
    const save = (assistant: JsonObject) =>
      api.http.post("/manage/companies/mine/widgets", { kind: "chat", name: "Shop", config: { assistant } }, {
        query,
      });

    assert.equal((await save({ mode: "agent", agent_id: id })).status, 200);
    assertRefused(await save({ mode: "agent" }), {
      status: 400,
      error: "validation_failed",
      details: { field: "config.assistant.agent_id", reason: "required" },
    });
    assertRefused(await save({ mode: "agent", agent_id: "agent_of_others" }), {
      status: 400,
      error: "validation_failed",
    });
  }));

import assert from "node:assert/strict";
import { openConversation, postMessage } from "../../supabase/functions/_shared/db/widgets/conversations.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertAgent, insertCompany } from "../setup/fixtures/fixtures.ts";
import { insertWidget } from "../setup/fixtures/widgets.ts";
import { runAdmin, runAdminProcess } from "./run_admin.ts";

const NOTHING = { voice_sessions: 0, voice_minutes: 0, conversations: 0, stored_mb: 0 };

Deno.test("admin widget and key: create, change, show and refuse", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const env = { DATABASE_URL: url };
    const admin = (args: string[], stdin?: string) =>
      stdin === undefined ? runAdmin(args, { env }) : runAdminProcess(args, { env, stdin });
    const { id: agent_id } = await insertAgent(sql, id);
    const config = JSON.stringify({ agent_id, texts: { es: { welcome: "Hola" } } });

    const [made, key, misspelt, noAgent, badOrigin] = await Promise.all([
      admin([
        ...["widget", "create", "--company", id, "--kind", "voice", "--config", "-", "--json"],
        ...["--allowed-origin", "https://shop.example", "--allowed-origin", "http://localhost:80/"],
      ], config),
      admin(["key", "create", "--company", id, "--publishable", "--json"]),
      admin(
        ["widget", "create", "--company", id, "--kind", "chat", "--config", "-"],
        '{"texts":{"es":{"welcom":""}}}',
      ),
      admin(["widget", "create", "--company", id, "--kind", "voice"]),
      admin([
        "widget",
        "create",
        "--company",
        id,
        "--kind",
        "chat",
        "--allowed-origin",
        "https://a.example/b",
      ]),
    ]);
    const widget = made.json.widget_id as string;
    const disabled = await admin(["widget", "disable", widget]);
    const shown = await admin(["widget", "show", widget, "--json"]);
    const revoked = await admin(["key", "revoke", "--company", id, "--publishable", key.json.key as string]);

    assert.match(key.json.key as string, /^pk_[\w-]{32}$/);
    assert.equal(disabled.stdout, `Widget ${widget} is off\n`);
    const { created_at: _, ...row } = shown.json;
    assert.deepEqual(row, {
      ...{ widget_id: widget, company_id: id, kind: "voice", name: "voice widget", is_active: false },
      config: JSON.parse(config),
      allowed_origins: ["https://shop.example", "http://localhost"],
      max_session_minutes: 10,
      caps: { voice_sessions: 200, voice_minutes: 600, conversations: 1000, stored_mb: 50 },
      used_today: NOTHING,
      company: {
        caps: { voice_sessions: 1000, voice_minutes: 3000, conversations: 5000, stored_mb: 250 },
        used_today: NOTHING,
      },
    });
    assert.equal(revoked.stdout, `${key.json.key} of company ${id} is revoked\n`);
    assert.deepEqual([misspelt.code, noAgent.code, badOrigin.code], [1, 1, 1]);
    assert.match(misspelt.stderr, /^Invalid configuration: texts\.es: .*welcom/);
    assert.match(noAgent.stderr, /^Invalid configuration: agent_id: the id of a voice agent\n$/);
    assert.match(badOrigin.stderr, /Expected an origin such as/);
    const keys = await sql`select is_active from outbound.publishable_keys`;
    assert.deepEqual(keys.map(({ is_active }) => is_active), [false]);
  }));

Deno.test("admin sets daily caps per widget and per company, and widget show prints what visitors have used", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const { id: widget } = await insertWidget(sql, id, { kind: "voice" });
    const admin = (...args: string[]) => runAdmin(args, { env: { DATABASE_URL: url } });
    await sql`select outbound.start_voice_session(${id}, gen_random_uuid(), ${widget}, 'agent_test')`;

    const [longSession, changed, company] = await Promise.all([
      admin("widget", "update", widget, "--max-session-minutes", "46"),
      admin("widget", "update", widget, "--max-voice-minutes", "120", "--max-session-minutes", "5"),
      admin("company", "update", id, "--max-conversations", "7", "--max-stored-mb", "0", "--json"),
    ]);
    const shown = await admin("widget", "show", widget);

    assert.match(
      longSession.stderr,
      /^Caps must be whole numbers from 0, and the longest session 1 to 45 minutes/,
    );
    assert.equal(changed.code, 0);
    const caps = { voice_sessions: 1000, voice_minutes: 3000, conversations: 7, stored_mb: 0 };
    assert.deepEqual(company.json.visitor_caps, caps);
    assert.match(shown.stdout, /session limit +5 minutes\n/);
    assert.match(
      shown.stdout,
      /used today +1 of 200 voice sessions, 10 of 120 voice minutes, 0 of 1000 conversations, 0 of 50 MB\n/,
    );
    assert.match(
      shown.stdout,
      /by all widgets +1 of 1000 voice sessions, 10 of 3000 voice minutes, 0 of 7 conversations, 0 of 0 MB\n/,
    );
  }));

Deno.test("an allowed origin has no wildcard, by whatever way it is stored", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const { id: widget } = await insertWidget(sql, id);
    const update = (origin: string) =>
      runAdmin(["widget", "update", widget, "--allowed-origin", origin], { env: { DATABASE_URL: url } });

    for (const origin of ["https://*.example", "https://*", "*"]) {
      assert.match((await update(origin)).stderr, /Wildcards are not supported/, origin);
    }
    for (
      const origin of [
        "https://*.example",
        "*",
        "https://a.example/x",
        "https://a.example;",
        "nonsense",
        null,
      ]
    ) {
      const store = sql`update outbound.widgets set allowed_origins = ${[origin]} where id = ${widget}`;
      await assert.rejects(
        async () => await store,
        { constraint_name: "widgets_origins_check" },
        `${origin}`,
      );
    }
    for (
      const origin of [
        "https://shop.example",
        "http://localhost:8080",
        "http://[::1]:80",
        "https://xn--e1a.example",
      ]
    ) {
      await sql`update outbound.widgets set allowed_origins = ${[origin]} where id = ${widget}`;
    }
  }));

Deno.test("admin chat: list, show, reply and close", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: companyId } = await insertCompany(sql);
    const admin = (...args: string[]) => runAdmin(["chat", ...args], { env: { DATABASE_URL: url } });
    const [widget] = await sql`
      insert into outbound.widgets (company_id, kind, name, config) values (${companyId}, 'chat', 'x', '{}')
      returning id`;
    const opened = {
      companyId,
      widgetId: widget!.id,
      userId: crypto.randomUUID(),
      language: "es",
      pageUrl: "https://shop.example/cart",
      pageTitle: "Your cart",
    };
    const conversationId = (await openConversation(sql, { ...opened, tokenHash: "a".repeat(64) })).id!;
    await openConversation(sql, { ...opened, tokenHash: "b".repeat(64) });
    const message = {
      companyId,
      conversationId,
      author: "visitor",
      text: "Hola",
      clientMessageId: null,
    } as const;
    await postMessage(sql, message);

    const waiting = await admin("list", "--company", companyId, "--waiting", "--json");
    const reply = await admin("reply", conversationId, "Buenas tardes");
    const empty = await admin("list", "--company", companyId, "--waiting");
    const closed = await admin("close", conversationId, "--json");
    const [late, shown] = await Promise.all([
      admin("reply", conversationId, "Too late"),
      admin("show", conversationId),
    ]);

    const listed = waiting.json.conversations as Record<string, unknown>[];
    assert.deepEqual(listed.map(({ conversation_id, messages }) => [conversation_id, messages]), [[
      conversationId,
      1,
    ]]);
    assert.equal(reply.stdout, "Message 2 sent\n");
    assert.equal(empty.stdout, "No conversations\n");
    assert.deepEqual(closed.json, { conversation_id: conversationId, status: "closed" });
    assert.deepEqual([late.code, late.stderr], [1, `Conversation ${conversationId} has ended\n`]);
    assert.match(shown.stdout, /^Page +https:\/\/shop\.example\/cart\nTitle +Your cart\n/m);
    assert.match(shown.stdout, /^Page +https:\/\/shop\.example\/cart\nTitle +Your cart$/m);
    assert.match(shown.stdout, /visitor +Hola\n.* operator +Buenas tardes\n$/);
  }));

Deno.test("admin escapes control characters in every command; --json keeps them exactly", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: companyId } = await insertCompany(sql);
    const evil = "hi \x1b]52;c;ZXZpbA==\x07\x9b2J\u202e";
    const [widget] = await sql`
      insert into outbound.widgets (company_id, kind, name, config) values (${companyId}, 'chat', ${evil}, '{}')
      returning id`;
    const [opened] = await sql`
      insert into outbound.conversations (company_id, widget_id, user_id, token_hash, last_sequence, last_author,
        last_message_at)
      values (${companyId}, ${widget!.id}, ${crypto.randomUUID()}, ${"a".repeat(64)}, 1, 'visitor', now())
      returning id`;
    await sql`
      insert into outbound.conversation_messages (company_id, conversation_id, sequence, author, text)
      values (${companyId}, ${opened!.id}, 1, 'visitor', ${evil})`;
    const admin = (...args: string[]) => runAdmin(args, { env: { DATABASE_URL: url } });

    const shown = await admin("chat", "show", opened!.id);
    const json = await admin("chat", "show", opened!.id, "--json");
    const widgets = await admin("widget", "list");
    const mistyped = await admin("chat", evil);

    for (const { stdout, stderr } of [shown, json, widgets, mistyped]) {
      assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n]|\u202e/u);
    }
    assert.match(shown.stdout, /hi <U\+001B>\]52;c;ZXZpbA==<U\+0007><U\+009B>2J<U\+202E>\n$/);
    assert.equal((json.json.messages as { text: string }[])[0]!.text, evil);
    assert.match(mistyped.stderr, /<U\+001B>/);
  }));

Deno.test("admin refuses control characters in names and replies", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: companyId } = await insertCompany(sql);
    const admin = (...args: string[]) => runAdmin(args, { env: { DATABASE_URL: url } });
    const company = ["--company", companyId];
    const sender = ["--channel", "voice", "--number", "15550001111", "--platform-id", "x\x1b"];

    const refused = await Promise.all([
      admin("company", "create", "--name", "Acme\x1b[2J"),
      admin("agent", "create", ...company, "--platform-agent-id", "agent_1", "--name", "Ana\nBot"),
      admin("sender", "create", ...company, ...sender),
      admin("chat", "reply", crypto.randomUUID(), "hi \x1b[2J"),
    ]);

    for (const { code, stderr } of refused) {
      assert.deepEqual([code, /text without control characters\n$/.test(stderr)], [1, true], stderr);
    }
  }));

Deno.test("admin knowledge: add, list and remove", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const env = { DATABASE_URL: url };
    const knowledge = (...args: string[]) => runAdmin(["knowledge", ...args], { env });
    const addText = (stdin: string, ...args: string[]) =>
      runAdminProcess(["knowledge", ...add, ...args], { env, stdin });
    const add = ["add", "--company", id, "--title", "Returns", "--file", "-"];

    const [added, empty] = await Promise.all([
      addText("You can return anything.", "--language", "en-GB", "--json"),
      addText(""),
    ]);
    const listed = await knowledge("list", "--company", id);
    const removed = await knowledge("remove", added.json.document_id as string);

    assert.match(listed.stdout, /Returns +english +24 /);
    assert.deepEqual([empty.code, empty.stderr], [1, "The text must have 1 to 100,000 characters\n"]);
    assert.equal(removed.stdout, `Document ${added.json.document_id} removed\n`);
    assert.equal((await sql`select 1 from outbound.knowledge_documents`).length, 0);
  }));

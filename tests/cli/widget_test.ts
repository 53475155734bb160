import assert from "node:assert/strict";
import { openConversation, postMessage } from "../../supabase/functions/_shared/db/conversations.ts";
import { withTestDatabase } from "../setup/database.ts";
import { insertCompany } from "../setup/fixtures.ts";
import { runAdmin } from "./run_admin.ts";

Deno.test("admin widget and key: make, change, show and refuse", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const admin = (args: string[], stdin = "") => runAdmin(args, { env: { DATABASE_URL: url }, stdin });
    const config = JSON.stringify({ agent_id: "agent_1", texts: { es: { welcome: "Hola" } } });

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
    });
    assert.equal(revoked.stdout, `${key.json.key} of company ${id} is revoked\n`);
    assert.deepEqual([misspelt.code, noAgent.code, badOrigin.code], [1, 1, 1]);
    assert.match(misspelt.stderr, /^The configuration does not fit: texts\.es: .*welcom/);
    assert.match(noAgent.stderr, /^The configuration does not fit: agent_id: the id of a voice agent\n$/);
    assert.match(badOrigin.stderr, /Expected an origin such as/);
    const keys = await sql`select is_active from outbound.publishable_keys`;
    assert.deepEqual(keys.map(({ is_active }) => is_active), [false]);
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
    const conversationId = await openConversation(sql, { ...opened, tokenHash: "a".repeat(64) });
    await openConversation(sql, { ...opened, tokenHash: "b".repeat(64) });
    const said = {
      companyId,
      conversationId,
      author: "visitor",
      text: "Hola",
      clientMessageId: null,
    } as const;
    await postMessage(sql, said);

    const waiting = await admin("list", "--company", companyId, "--waiting", "--json");
    const reply = await admin("reply", conversationId, "Buenas tardes");
    const nobody = await admin("list", "--company", companyId, "--waiting");
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
    assert.equal(reply.stdout, "Message 2 written\n");
    assert.equal(nobody.stdout, "No conversations\n");
    assert.deepEqual(closed.json, { conversation_id: conversationId, status: "closed" });
    assert.deepEqual([late.code, late.stderr], [1, `Conversation ${conversationId} has ended\n`]);
    assert.match(shown.stdout, /^Page +https:\/\/shop\.example\/cart\nTitle +Your cart\n/m);
    assert.match(shown.stdout, /^Page +https:\/\/shop\.example\/cart\nTitle +Your cart$/m);
    assert.match(shown.stdout, /visitor +Hola\n.* operator +Buenas tardes\n$/);
  }));

Deno.test("admin knowledge: add, list and remove", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const admin = (args: string[], stdin = "") =>
      runAdmin(["knowledge", ...args], { env: { DATABASE_URL: url }, stdin });
    const add = ["add", "--company", id, "--title", "Returns", "--file", "-"];

    const [added, empty] = await Promise.all([
      admin([...add, "--language", "en-GB", "--json"], "You can return anything."),
      admin(add),
    ]);
    const listed = await admin(["list", "--company", id]);
    const removed = await admin(["remove", added.json.document_id as string]);

    assert.match(listed.stdout, /Returns +english +24 /);
    assert.deepEqual([empty.code, empty.stderr], [1, "The text must have 1 to 100,000 characters\n"]);
    assert.equal(removed.stdout, `Document ${added.json.document_id} removed\n`);
    assert.equal((await sql`select 1 from outbound.knowledge_documents`).length, 0);
  }));

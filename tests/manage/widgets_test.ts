import assert from "node:assert/strict";
import { insertAgent, insertCompany } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { insertWidget } from "../setup/fixtures/widgets.ts";
import { auditOf } from "./read_audit.ts";
import { type Manage, withManage } from "./with_manage.ts";

function change(t: Manage, widgetId: string, body: unknown) {
  return t.members.operator.ask("PUT", `/companies/${t.company.id}/widgets/${widgetId}`, body);
}

Deno.test("widgets are created, listed page by page and filtered", () =>
  withManage(async (t) => {
    const config = { colors: { primary: "#123456" } };
    const allowed_origins = ["https://shop.example", "https://SHOP.example:443"];
    const chat = (await t.act("/widgets", { kind: "chat", name: "Shop", config, allowed_origins })).body;
    const { platform_agent_id: agent_id } = await insertAgent(t.sql, t.company.id);
    const voice = (await t.act("/widgets", { kind: "voice", name: "Call", config: { agent_id } })).body;
    await insertWidget(t.sql, (await insertCompany(t.sql)).id);
    const ids = async (query: Record<string, string>) =>
      (await t.read("/widgets", query)).body.widgets.map((row: JsonObject) => row.widget_id);

    const first = (await t.read("/widgets", { limit: "1" })).body;

    assert.deepEqual(first.widgets.map((row: JsonObject) => row.widget_id), [voice.widget_id]);
    const { body: { widgets: [shown] } } = await t.read("/widgets", { limit: "1", after: first.next });
    assert.deepEqual([shown.widget_id, shown.config, shown.allowed_origins], [
      chat.widget_id,
      config,
      ["https://shop.example"],
    ]);
    assert.deepEqual(await ids({}), [voice.widget_id, chat.widget_id]);
    assert.deepEqual(await ids({ kind: "chat" }), [chat.widget_id]);
    assert.deepEqual((await auditOf(t)).map(({ action, subject }) => [action, subject]), [
      ["widget.created", voice.widget_id],
      ["widget.created", chat.widget_id],
    ]);
  }));

Deno.test("GET …/widgets/{widget_id} shows the line for a page once there is a key for it", () =>
  withManage(async (t) => {
    const { id } = await insertWidget(t.sql, t.company.id, { config: { colors: { primary: "#0b7a4b" } } });
    const embed = async () => (await t.read(`/widgets/${id}`)).body.embed;
    assert.equal(await embed(), null);
    const { key, key_id } = (await t.act("/keys/publishable")).body;

    assert.equal(
      await embed(),
      `<script async src="https://widgets.example/loader.js" data-mode="chat" data-customer="${key}" ` +
        `data-widget="${id}" data-color="#0b7a4b"></script>`,
    );
    await t.act(`/keys/publishable/${key_id}/revoke`);
    assert.equal(await embed(), null);
    const { body } = await t.read(`/widgets/${id}`);
    assert.deepEqual([body.used_today.conversations, body.caps.conversations], [0, 1000]);
  }, { env: { OUTBOUND_WIDGET_URL: "https://widgets.example/" } }));

Deno.test("GET …/widgets/texts lists the built-in texts of a kind, every name in every language", () =>
  withManage(async (t) => {
    const { chat, voice } = {
      chat: (await t.read("/widgets/texts", { kind: "chat" })).body.texts,
      voice: (await t.read("/widgets/texts", { kind: "voice" })).body.texts,
    };

    assert.deepEqual([chat.es.send, voice.de.end], ["Enviar", "Auflegen"]);
    for (const texts of [chat, voice]) {
      for (const language of Object.keys(texts)) {
        assert.deepEqual(Object.keys(texts[language]), Object.keys(texts.en), language);
      }
    }
    assert.equal((await t.read("/widgets/texts", { kind: "mail" })).status, 400);
    assert.equal((await t.read("/widgets/texts")).status, 400);
  }));

Deno.test("PUT …/widgets/{widget_id} changes what is given; the audit holds what changed and no text", () =>
  withManage(async (t) => {
    const { id } = await insertWidget(t.sql, t.company.id);
    const body = {
      name: "Help",
      is_active: false,
      allowed_origins: ["https://shop.example"],
      max_session_minutes: 5,
      caps: { conversations: 7 },
    };

    const changed = (await change(t, id, body)).body;
    await change(t, id, body);
    await change(t, id, { config: { texts: { en: { title: "Ask Ana" } } } });

    assert.deepEqual([changed.name, changed.is_active, changed.caps.conversations, changed.caps.stored_mb], [
      "Help",
      false,
      7,
      50,
    ]);
    const shown = (await t.read(`/widgets/${id}`)).body;
    assert.deepEqual([shown.name, shown.config.texts], ["Help", { en: { title: "Ask Ana" } }]);
    const audit = await auditOf(t);
    assert.deepEqual(audit.map(({ action, after }) => [action, Object.keys(after).sort()]), [
      ["widget.updated", ["config_digest"]],
      ["widget.updated", [
        "allowed_origins",
        "is_active",
        "max_conversations_per_day",
        "max_session_minutes",
        "name",
      ]],
    ]);
    assert.doesNotMatch(JSON.stringify(audit), /Ask Ana/);
  }));

Deno.test("widgets refuse what browsers or visitors could not use, and those of others", () =>
  withManage(async (t) => {
    const { id } = await insertWidget(t.sql, t.company.id);
    const refusals = [
      [{ config: { colors: { primary: "red" } } }, "config.colors.primary"],
      [{ config: { agent_id: "x" } }, "config.agent_id"],
      [{ allowed_origins: ["https://*.shop.example"] }, "allowed_origins[0]"],
      [{ allowed_origins: ["https://shop.example/path"] }, "allowed_origins[0]"],
      [{ allowed_origins: ["javascript:alert(1)"] }, "allowed_origins[0]"],
      [{ name: "a\nb" }, "name"],
      [{ max_session_minutes: 46 }, "max_session_minutes"],
      [{ caps: { conversations: -1 } }, "caps.conversations"],
      [{ kind: "voice" }, "kind"],
    ] as const;
    for (const [body, field] of refusals) {
      const answer = await change(t, id, body);
      assert.deepEqual([answer.status, answer.body.details.field], [400, field], JSON.stringify(body));
    }
    const voice = await t.act("/widgets", { kind: "voice", name: "No agent" });
    assert.deepEqual([voice.status, voice.body.details.field], [400, "config.agent_id"]);
    const other = await insertWidget(t.sql, (await insertCompany(t.sql)).id);
    assert.equal((await change(t, other.id, { name: "Mine" })).status, 404);
    assert.equal((await t.read(`/widgets/${other.id}`)).status, 404);
    assert.deepEqual(await auditOf(t), []);
  }));

Deno.test("an allowed origin has no wildcard, by whatever way it is stored", () =>
  withManage(async (t) => {
    const { id } = await insertWidget(t.sql, t.company.id);
    const store = async (origin: string | null) => {
      await t.sql`update outbound.widgets set allowed_origins = ${[origin]} where id = ${id}`;
    };
    const refused = ["https://*.example", "*", "https://a.example/x", "https://a.example;", "nonsense", null];
    for (const origin of refused) {
      await assert.rejects(store(origin), { constraint_name: "widgets_origins_check" }, `${origin}`);
    }
    const taken = ["https://shop.example", "http://localhost:8080", "http://[::1]:80"];
    for (const origin of [...taken, "https://xn--e1a.example"]) await store(origin);
  }));

import assert from "node:assert/strict";
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

Deno.test("admin escapes control characters in every command; --json keeps them exactly", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: companyId } = await insertCompany(sql);
    const evil = "hi \x1b]52;c;ZXZpbA==\x07\x9b2J\u202e";
    await sql`
      insert into outbound.widgets (company_id, kind, name, config) values (${companyId}, 'chat', ${evil}, '{}')`;
    const admin = (...args: string[]) => runAdmin(args, { env: { DATABASE_URL: url } });

    const shown = await admin("widget", "list");
    const json = await admin("widget", "list", "--json");
    const mistyped = await admin("widget", evil);

    for (const { stdout, stderr } of [shown, json, mistyped]) {
      assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n]|\u202e/u);
    }
    assert.match(shown.stdout, /hi <U\+001B>\]52;c;ZXZpbA==<U\+0007><U\+009B>2J<U\+202E>/);
    assert.equal((json.json.widgets as { name: string }[])[0]!.name, evil);
    assert.match(mistyped.stderr, /<U\+001B>/);
  }));

Deno.test("admin refuses control characters in names", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: companyId } = await insertCompany(sql);
    const admin = (...args: string[]) => runAdmin(args, { env: { DATABASE_URL: url } });
    const company = ["--company", companyId];
    const sender = ["--channel", "voice", "--number", "15550001111", "--platform-id", "x\x1b"];

    const refused = await Promise.all([
      admin("company", "create", "--name", "Acme\x1b[2J"),
      admin("agent", "create", ...company, "--platform-agent-id", "agent_1", "--name", "Ana\nBot"),
      admin("sender", "create", ...company, ...sender),
    ]);

    for (const { code, stderr } of refused) {
      assert.deepEqual([code, /text without control characters\n$/.test(stderr)], [1, true], stderr);
    }
  }));

import assert from "node:assert/strict";
import { decodeJwt, jwtVerify } from "jose";
import { newSessionToken } from "../../../supabase/functions/_shared/widgets/session_token.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertAgent, insertCompany, TEST_SECRETS_KEY } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { insertPublishableKey, insertWidget } from "../../setup/fixtures/widgets.ts";
import { assertRefused } from "../assert_refused.ts";
import { LIVEKIT, VOICE_KEY } from "../voice_platforms.ts";
import { withVoiceWidget } from "./with_voice_widget.ts";

Deno.test("GET /voice-widget returns looks, texts and what can be done", () =>
  withVoiceWidget(async ({ http, key, sql, company, widget }) => {
    const publishable = await insertPublishableKey(sql, company.id);
    for (const access_key of [key.key, publishable]) {
      const query = { access_key, id_widget: widget.id, language: "es-AR" };
      const { status, body } = await http.get("/voice-widget", { query });
      const { texts, colors, ...rest } = body;

      assert.equal(status, 200);
      assert.deepEqual(rest, {
        id_widget: widget.id,
        language: "es",
        available_languages: ["es", "en", "pt", "fr", "de", "it", "nl", "pl", "tr", "ar", "hi", "ja", "zh"],
        agent_id: "agent_test",
        appearance: "light",
        dark_colors: {},
        launcher: { paths: [] },
        logo: null,
        proactive: [],
        position: { placement: "bottom-right", offset_x: 20, offset_y: 20, size: 60 },
        animation: { type: "orb", speed: 1, intensity: 0.6 },
        features: { transcript: true, feedback: true, handoff: true, text_input: true },
      });
      assert.deepEqual([texts.welcome, texts.end], ["Hola", "Colgar"]);
      assert.deepEqual(Object.keys(colors), ["primary", "secondary", "background", "text", "accent"]);
    }
    const query = { access_key: key.key, id_widget: (await insertWidget(sql, company.id)).id };
    assertRefused(await http.get("/voice-widget", { query }), { status: 404, error: "not_found" });
  }));

Deno.test("GET /voice-widget/signed-url starts a session by WebSocket or WebRTC", () =>
  withVoiceWidget(async ({ start, platforms, widget, company }) => {
    const socket = await start();
    const rtc = await start({ connection: "webrtc" });

    assert.equal(socket.status, 200);
    const { session_token, expires_at, signed_url, ...rest } = socket.body;
    assert.match(signed_url, /^wss:\/\/voice\.example\//);
    assert.deepEqual(rest, {
      connection: "websocket",
      agent_id: "agent_test",
      max_session_s: 600,
      client: {
        name: "@elevenlabs/client",
        version: rest.client.version,
        url: `${platforms.env.OUTBOUND_WIDGET_URL}/assets/client-abc.js`,
        integrity: "sha384-abc",
      },
    });
    const lasts = Date.parse(expires_at) - Date.now();
    assert.ok(lasts > 55 * 60_000 && lasts <= 60 * 60_000);
    const claims = decodeJwt(session_token);
    assert.deepEqual([claims.sub, claims.widget, claims.exp], [
      company.id,
      widget.id,
      Date.parse(expires_at) / 1000,
    ]);
    assert.deepEqual([rtc.body.conversation_token, rtc.body.signed_url], ["a.webrtc.token", undefined]);
    assert.equal(
      platforms.requests.find(({ path }) => path.startsWith("/v1/"))!.headers.get("xi-api-key"),
      VOICE_KEY,
    );
    assertRefused(await start({ connection: "telepathy" }), { status: 400, error: "validation_failed" });
  }));

Deno.test("a voice widget with a list of pages starts no session for its iframe on another page", () =>
  withVoiceWidget(async ({ start, sql, widget, platforms }) => {
    await sql`update outbound.widgets set allowed_origins = '{https://shop.example}' where id = ${widget.id}`;

    assert.equal((await start({ page_origin: "https://shop.example" })).status, 200);
    assert.equal((await start({ page_origin: platforms.env.OUTBOUND_WIDGET_URL! })).status, 200);
    for (const page_origin of ["https://evil.example", "", "null"]) {
      assertRefused(await start({ page_origin }), { status: 403, error: "forbidden" }, page_origin);
    }
    await sql`update outbound.widgets set allowed_origins = '{}' where id = ${widget.id}`;
    assert.equal((await start({ page_origin: "https://evil.example" })).status, 200);
  }));

Deno.test("a voice widget names its agent by our id or the platform's, and a disabled one starts no session", () =>
  withVoiceWidget(async ({ http, key, sql, company }) => {
    const [agent] = await sql`select id from outbound.voice_agents where company_id = ${company.id}`;
    const widget = await insertWidget(sql, company.id, { kind: "voice", config: { agent_id: agent!.id } });
    const start = () =>
      http.get("/voice-widget/signed-url", { query: { access_key: key.key, id_widget: widget.id } });

    const started = await start();
    await sql`update outbound.voice_agents set status = 'disabled' where id = ${agent!.id}`;

    assert.deepEqual([started.status, started.body.agent_id], [200, "agent_test"]);
    assertRefused(await start(), { status: 404, error: "agent_not_found" });
  }));

Deno.test("a voice widget starts no session with an agent that is not the company's", () =>
  withVoiceWidget(async ({ http, key, sql, company, platforms }) => {
    const other = await insertAgent(sql, (await insertCompany(sql)).id, {
      platform_agent_id: "agent_of_others",
    });
    for (const agent_id of [other.id, other.platform_agent_id, "agent_unknown"]) {
      const { id } = await insertWidget(sql, company.id, { kind: "voice", config: { agent_id } });
      const started = await http.get("/voice-widget/signed-url", {
        query: { access_key: key.key, id_widget: id },
      });
      assertRefused(started, { status: 404, error: "agent_not_found" }, agent_id);
    }
    assert.deepEqual(platforms.requests, []);
  }));

Deno.test("the version of the client that GET /voice-widget/signed-url names is the one the widget host is built with", async () => {
  const imports =
    JSON.parse(await Deno.readTextFile(new URL("../../../import_map.json", import.meta.url))).imports;
  const source = await Deno.readTextFile(
    new URL("../../../supabase/functions/_shared/gateways/client_library.ts", import.meta.url),
  );
  const [, version] = /const VERSION = "(.+)";/.exec(source)!;

  assert.ok(JSON.stringify(imports).includes(`@elevenlabs/client@${version}`));
});

Deno.test("GET /voice-widget/signed-url says when the platform refuses, is away or is not set up", () =>
  withVoiceWidget(async ({ start, platforms }) => {
    platforms.respondWith(404, { detail: { code: "agent_not_found", message: "secret words" } });
    const unknown = await start();
    platforms.respondWith(401, { detail: { status: "invalid_api_key", message: "secret words" } });
    const refused = await start();
    platforms.respondWith(200, { nothing: "of use" });
    const senseless = await start();

    assertRefused(unknown, { status: 404, error: "agent_not_found" });
    for (const response of [refused, senseless]) {
      assertRefused(response, {
        status: 502,
        error: "service_unavailable",
        details: { service: "voice", estimated_recovery: null },
      });
    }
    assert.ok(![unknown, refused].some(({ body }) => JSON.stringify(body).includes("secret words")));
  }));

Deno.test("GET /voice-widget/signed-url estimates when the platform is back by how long it has been away", () =>
  withVoiceWidget(async ({ start, platforms }) => {
    const recovery = async () => {
      const { status, body } = await start();
      assert.equal(status, 502);
      return body.details.estimated_recovery;
    };
    platforms.respondWith(503, {});
    assert.equal(await recovery(), null);
    const seconds = (Date.parse(await recovery()) - Date.now()) / 1000;
    assert.ok(seconds > 3 && seconds < 10, `${seconds} s`);

    platforms.respondWith(200, { signed_url: "wss://voice.example/session" });
    assert.equal((await start()).status, 200);
    platforms.respondWith(503, {});

    assert.equal(await recovery(), null);
  }));

Deno.test("voice works as far as it is set up", () =>
  withVoiceWidget(async ({ start, http, key, widget, company, sql }) => {
    const notSetUp = (service: string) => ({
      status: 502,
      error: "service_unavailable",
      details: { service, estimated_recovery: null },
    });
    for (let times = 0; times < 2; times++) assertRefused(await start(), notSetUp("voice"));
    const query = { access_key: key.key, id_widget: widget.id };
    const { body } = await http.get("/voice-widget", { query });
    assert.equal(body.features.handoff, false);
    const sessionId = crypto.randomUUID();
    const session = { companyId: company.id, widgetId: widget.id, agentId: "agent_test", sessionId };
    await sql`select from outbound.start_voice_session(${company.id}, ${sessionId}, ${widget.id}, 'agent_test')`;
    const { token } = await newSessionToken(TEST_SECRETS_KEY, { ...session, now: new Date() });
    const headers = { authorization: `Bearer ${token}` };
    const handoff = await http.post("/voice-widget/handoff", { conversation_id: "conv_known" }, { headers });
    assertRefused(handoff, notSetUp("realtime"));
    const feedback = { conversation_id: "conv_known", rating: 3 };
    assert.equal((await http.post("/voice-widget/feedback", feedback, { headers })).status, 200);
  }, { ELEVENLABS_API_KEY: "", LIVEKIT_URL: "" }));

/** Every route of a session, with a good body. */
const SESSION_ROUTES: [method: string, path: string, body: JsonObject | undefined][] = [
  ["POST", "/voice-widget/search", { query: "returns" }],
  ["POST", "/voice-widget/feedback", { conversation_id: "conv_known", rating: 5 }],
  ["POST", "/voice-widget/handoff", { conversation_id: "conv_known" }],
  ["POST", "/voice-widget/handoff/end", { handoff_id: crypto.randomUUID() }],
  ["GET", "/voice-widget/chat-by-conversation?conversation_id=conv_known", undefined],
];

Deno.test("the routes of a session are closed without its token, with another's, and to other pages", () =>
  withVoiceWidget(async ({ http, start, widget, company, key, platforms, sql }) => {
    const { body: { session_token } } = await start();
    const other = await insertWidget(sql, company.id, { kind: "voice" });
    const made = { companyId: company.id, widgetId: widget.id, agentId: "agent_test", sessionId: "s" };
    const expired = await newSessionToken(TEST_SECRETS_KEY, {
      ...made,
      now: new Date(Date.now() - 3_700_000),
    });
    const forged = await newSessionToken(`${TEST_SECRETS_KEY}!`, { ...made, now: new Date() });
    const [head, payload] = session_token.split(".");
    const noneHead = btoa('{"alg":"none"}').replaceAll("=", "");
    const bad = [
      "",
      "nonsense",
      key.key,
      expired.token,
      forged.token,
      `${head}.${payload}.`,
      `${noneHead}.${payload}.`,
    ];
    const good = { authorization: `Bearer ${session_token}` };
    const asked = platforms.requests.length;

    for (const [method, path, body] of SESSION_ROUTES) {
      const call = (headers: Record<string, string>, query = {}) =>
        http.request(method, path, body, {
          headers: body ? { "content-type": "application/json", ...headers } : headers,
          query,
        });
      assertRefused(await call({}), { status: 401, error: "unauthorized" }, path);
      assertRefused(await call({}, { access_key: key.key }), { status: 401, error: "unauthorized" }, path);
      for (const token of bad) {
        const headers = { authorization: `Bearer ${token}` };
        assertRefused(await call(headers), { status: 401, error: "unauthorized" }, `${path} ${token}`);
      }
      const anothers = await call(good, { id_widget: other.id });
      assertRefused(anothers, { status: 403, error: "forbidden" }, path);
      for (
        const origin of ["https://evil.example", "null", `${platforms.env.OUTBOUND_WIDGET_URL}.evil.example`]
      ) {
        assertRefused(await call({ ...good, origin }), { status: 403, error: "forbidden" }, path);
      }
    }
    assert.equal(platforms.requests.length, asked, "no platform was asked anything");
    const headers = { ...good, origin: platforms.env.OUTBOUND_WIDGET_URL! };
    const query = { id_widget: widget.id, conversation_id: "conv_known" };
    assert.equal((await http.get("/voice-widget/chat-by-conversation", { headers, query })).status, 200);
    await sql`update outbound.widgets set is_active = false where id = ${widget.id}`;
    const off = await http.get("/voice-widget/chat-by-conversation", { headers, query });
    assertRefused(off, { status: 403, error: "forbidden" });
  }));

Deno.test("GET /voice-widget/chat-by-conversation shows what was said, in the widget's own conversations only", () =>
  withVoiceWidget(async ({ http, session }) => {
    const { headers } = await session();
    const read = (conversation_id: string) =>
      http.get("/voice-widget/chat-by-conversation", { headers, query: { conversation_id } });

    for (const id of ["conv_other", "conv_missing"]) {
      assertRefused(await read(id), { status: 404, error: "not_found" }, id);
    }
    const { status, body } = await read("conv_known");
    assert.deepEqual([status, body], [200, {
      conversation_id: "conv_known",
      status: "in-progress",
      messages: [
        { role: "agent", text: "Hello", time_in_call_secs: 0 },
        { role: "user", text: "Hi", time_in_call_secs: 2.5 },
      ],
    }]);
    for (const id of ["", "../agents", "a b", "x".repeat(101)]) {
      assertRefused(await read(id), { status: 400, error: "validation_failed" }, id);
    }
  }));

Deno.test("POST /voice-widget/search finds the company's own documents, in whatever form the words are", () =>
  withVoiceWidget(async ({ http, start, sql, company, addTenant }) => {
    const other = await addTenant();
    const add = (
      companyId: string,
      title: string,
      content: string,
      language: string,
      url: string | null = null,
    ) =>
      sql`insert into outbound.knowledge_documents (company_id, title, content, language, url)
        values (${companyId}, ${title}, ${content}, ${language}::regconfig, ${url})`;
    await add(
      company.id,
      "Returns",
      "You may return shoes within 30 days.",
      "english",
      "https://shop.example/r",
    );
    await add(company.id, "Hours", "We open at nine.", "english");
    await add(company.id, "Envíos", "Enviamos los zapatos en dos días.", "simple");
    await add(other.company.id, "Returns", "Never return anything.", "english");
    const { body: { session_token } } = await start();
    const search = async (query: string, more: JsonObject = {}) => {
      const headers = { authorization: `Bearer ${session_token}` };
      const { status, body } = await http.post("/voice-widget/search", { query, ...more }, { headers });
      assert.equal(status, 200, JSON.stringify(body));
      return body.results;
    };

    assert.deepEqual(await search("Can I bring back the shoe? I am returning it"), [
      { title: "Returns", text: "You may return shoes within 30 days.", url: "https://shop.example/r" },
    ]);
    assert.deepEqual((await search("opening hours")).map(({ title }: JsonObject) => title), ["Hours"]);
    assert.deepEqual(
      (await search("¿Mandan zapatos?", { language: "es" })).map(({ title }: JsonObject) => title),
      [
        "Envíos",
      ],
    );
    for (const query of ["the", "?!", "'); drop table x; --", "<b>&|!():*", "zebra"]) {
      assert.deepEqual(await search(query), [], query);
    }
  }));

Deno.test("POST /voice-widget/feedback is kept and passed on, whatever the platform says to it", () =>
  withVoiceWidget(async ({ http, session, sql, platforms, widget }) => {
    const { headers } = await session();
    const rate = (body: JsonObject) => http.post("/voice-widget/feedback", body, { headers });
    const first = await rate({ conversation_id: "conv_known", rating: 2 });
    const second = await rate({ conversation_id: "conv_known", rating: 5, comment: " Good " });

    assert.deepEqual([first, second].map(({ body }) => body), [{ success: true }, { success: true }]);
    const stored = await sql`
      select conversation_id, rating, comment, widget_id from outbound.voice_feedback order by conversation_id`;
    assert.deepEqual(stored.map((row) => ({ ...row })), [
      { conversation_id: "conv_known", rating: 5, comment: "Good", widget_id: widget.id },
    ]);
    await eventually(() => {
      const passedOn = platforms.requests.filter(({ path }) => path.endsWith("conv_known/feedback")).map((
        r,
      ) => r.body);
      assert.deepEqual(passedOn, [{ rating: 2 }, { rating: 5, comment: "Good" }]);
    });
    platforms.respondWith(404, { detail: { code: "conversation_not_found" } });
    assert.equal((await rate({ conversation_id: "conv_known", rating: 5, comment: "Good" })).status, 200);
    for (
      const wrong of [{ rating: 0 }, { rating: 6 }, { rating: 2.5 }, { rating: "5" }, {
        conversation_id: "a/b",
      }, { comment: "Bad \x1b[2J" }]
    ) {
      const response = await rate({ conversation_id: "conv_known", rating: 5, ...wrong });
      assertRefused(response, { status: 400, error: "validation_failed" }, JSON.stringify(wrong));
    }
  }));

Deno.test("a handoff opens a room, notifies the company, lets a person of it in, and ends", () =>
  withVoiceWidget(async ({ http, start, sql, company, key, widget, platforms, addTenant }) => {
    await insertWebhook(sql, company.id);
    const other = await addTenant();
    const publishable = await insertPublishableKey(sql, company.id);
    const { body: { session_token } } = await start();
    const headers = { authorization: `Bearer ${session_token}` };
    const asked = { conversation_id: "conv_known", reason: "A refund", contact: { name: "Ana", email: "" } };
    for (const steering of [{ reason: "Hi \x1b[2J" }, { contact: { name: "Ana\nOperator" } }]) {
      const refused = await http.post("/voice-widget/handoff", { ...asked, ...steering }, { headers });
      assertRefused(refused, { status: 400, error: "validation_failed" });
    }
    const { status, body } = await http.post("/voice-widget/handoff", asked, { headers });
    const { handoff_id, url, room, token, expires_at } = body;

    assert.deepEqual([status, body.status, room], [200, "waiting", `handoff-${handoff_id}`]);
    assert.equal(url, platforms.env.LIVEKIT_URL!.replace("http", "ws"));
    assert.ok(Date.parse(expires_at) > Date.now());
    const { payload } = await jwtVerify<JsonObject>(token, new TextEncoder().encode(LIVEKIT.secret));
    assert.deepEqual([payload.iss, payload.video.room, payload.video.roomJoin], [LIVEKIT.key, room, true]);
    assert.deepEqual(payload.video, {
      ...{ roomJoin: true, room, canSubscribe: true },
      ...{ canPublish: true, canPublishData: false, canPublishSources: ["microphone"] },
    });
    assert.match(payload.sub!, /^visitor-/);
    const made = platforms.requests.find(({ path }) => path.endsWith("CreateRoom"))!;
    assert.equal(made.body!.name, room);
    const [event] = await readEvents(sql, company.id);
    const { created_at: _, ...data } = event!.payload.data;
    assert.deepEqual([event!.type, data], ["handoff.requested", {
      ...{ company_id: company.id, handoff_id, widget_id: widget.id, conversation_id: "conv_known" },
      ...{ reason: "A refund", contact: { name: "Ana" }, room },
    }]);

    const join = (access_key: string) =>
      http.post("/voice-widget/handoff/join", { handoff_id }, { query: { access_key } });
    const joined = await join(key.key);
    assert.deepEqual([joined.status, joined.body.status, joined.body.room], [200, "joined", room]);
    const operator = decodeJwt<JsonObject>(joined.body.token);
    assert.match(operator.sub!, /^operator-/);
    assert.deepEqual(operator.video, payload.video);
    assertRefused(await join(publishable), { status: 401, error: "unauthorized" });
    assertRefused(await join(other.key.key), { status: 404, error: "not_found" });

    const end = () => http.post("/voice-widget/handoff/end", { handoff_id }, { headers });
    const ended = { success: true, handoff_id, status: "ended" };
    assert.deepEqual([(await end()).body, (await end()).body], [ended, ended]);
    await eventually(() => assert.ok(platforms.requests.some(({ path }) => path.endsWith("DeleteRoom"))));
    assertRefused(await join(key.key), { status: 404, error: "not_found" });
    const missing = await http.post("/voice-widget/handoff/end", { handoff_id: widget.id }, { headers });
    assertRefused(missing, { status: 404, error: "not_found" });
  }));

Deno.test("a widget without handoff hands no visitor over, and one session may ask five times", () =>
  withVoiceWidget(async ({ http, start, sql, widget }) => {
    const { body: { session_token } } = await start();
    const headers = { authorization: `Bearer ${session_token}` };
    const ask = () => http.post("/voice-widget/handoff", { conversation_id: "conv_known" }, { headers });
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await ask()).status);
    await sql`update outbound.widgets set config = config || '{"features":{"handoff":false}}' where id = ${widget.id}`;

    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
    assertRefused(await ask(), { status: 403, error: "forbidden" });
  }));

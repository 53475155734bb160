import assert from "node:assert/strict";
import fc from "fast-check";
import { newSessionToken } from "../../../supabase/functions/_shared/widgets/session_token.ts";
import { TEST_SECRETS_KEY } from "../../setup/fixtures/fixtures.ts";
import { insertWidget } from "../../setup/fixtures/widgets.ts";
import { openChat } from "./open_chat.ts";
import { withVoicePlatforms } from "../voice_platforms.ts";
import { withApi } from "../with_api.ts";

const RUNS = 200;

const text = fc.string({ unit: "binary", maxLength: 40 });
const odd = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    "\0",
    "\ud800",
    "</script>",
    "https://[::1",
    "https://x.example",
    "es-MX",
    -0,
    1e308,
    true,
    3,
  ),
  fc.uuid(),
);
const BODY = {
  ...{
    user_id: crypto.randomUUID(),
    language: "es",
    page_url: "https://shop.example/",
    page_title: "A shop",
    is_typing: true,
  },
  ...{ client_message_id: crypto.randomUUID(), text: "Hello", query: "returns", rating: 5, comment: "Good" },
  ...{ conversation_id: "conv_known", reason: "A refund", contact: { name: "Ana" } },
};
/** A body that is good for every route, with some fields made odd. */
const bodies = fc.dictionary(fc.constantFrom(...Object.keys(BODY), "x"), odd, { maxKeys: 3 })
  .map((changes) => ({ ...BODY, ...changes }));
const queries = fc.dictionary(
  fc.constantFrom(
    "lang",
    "language",
    "showClose",
    "after",
    "connection",
    "widget_id",
    "conversation_id",
    "x",
  ),
  text,
  { maxKeys: 2 },
);

Deno.test("the widgets' endpoints respond to any request with success or a refusal", () =>
  withVoicePlatforms(({ env }) =>
    withApi(async (api) => {
      const { http, key, sql, company } = api;
      const chat = await openChat(api);
      const voice = await insertWidget(sql, company.id, { kind: "voice" });
      const sessionId = crypto.randomUUID();
      await sql`select from outbound.start_voice_session(${company.id}, ${sessionId}, ${voice.id}, 'agent_test')`;
      const { token } = await newSessionToken(TEST_SECRETS_KEY, {
        ...{ companyId: company.id, widgetId: voice.id, agentId: "agent_test", sessionId },
        now: new Date(),
      });
      const chatQuery = { access_key: key.key, widget_id: chat.widget.id };
      const voiceQuery = { access_key: key.key, id_widget: voice.id };
      const session = { headers: { authorization: `Bearer ${token}` }, query: {} };
      const gets: [
        path: string,
        options: { headers?: Record<string, string>; query: Record<string, string> },
      ][] = [
        ["/widget", { query: chatQuery }],
        ["/widgetWebView", { query: { ...chatQuery, customer_id: key.key } }],
        ["/voice-widget", { query: voiceQuery }],
        ["/voice-widget/signed-url", { query: voiceQuery }],
        ["/voice-widget/chat-by-conversation", session],
        [`/widget/conversations/${chat.id}/messages`, { ...chat.asVisitor, query: {} }],
      ];
      const posts: typeof gets = [
        ["/widget/conversations", { query: chatQuery }],
        [`/widget/conversations/${chat.id}/messages`, { ...chat.asVisitor, query: {} }],
        [`/widget/conversations/${chat.id}/typing`, { ...chat.asVisitor, query: {} }],
        ["/voice-widget/search", session],
        ["/voice-widget/feedback", session],
        ["/voice-widget/handoff", session],
      ];
      const fine = [200, 204, 400, 401, 403, 404, 429];
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...gets), queries, async ([path, options], query) => {
          const { status, body } = await http.get(path, {
            ...options,
            query: { ...options.query, ...query },
          });
          assert.ok(fine.includes(status), `GET ${path} ${status} ${JSON.stringify(body)}`);
        }),
        { numRuns: RUNS },
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...posts), bodies, async ([path, options], body) => {
          const { status, body: returned } = await http.post(path, body, options);
          assert.ok(fine.includes(status), `POST ${path} ${status} ${JSON.stringify(returned)}`);
        }),
        { numRuns: RUNS },
      );
    }, { env })
  ));

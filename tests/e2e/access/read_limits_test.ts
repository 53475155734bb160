import assert from "node:assert/strict";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { openChat } from "../widgets/open_chat.ts";
import { withApi } from "../with_api.ts";

const env = { OUTBOUND_WIDGET_URL: "https://widgets.example", OUTBOUND_TRUSTED_PROXIES: "1" };

/** Sends `count` requests; returns how many of them got a 429, and the last of those responses. */
async function flood(count: number, ask: (index: number) => Promise<TestAnswer<JsonObject>>) {
  const responses: TestAnswer<JsonObject>[] = [];
  for (let index = 0; index < count; index++) responses.push(await ask(index));
  const refused = responses.filter(({ status }) => status === 429);
  return { refused: refused.length, last: refused.at(-1) };
}

for (const path of ["/widget", "/voice-widget"]) {
  Deno.test(`GET ${path} is limited per address, before anything is looked up`, () =>
    withApi(async ({ http }) => {
      const ask = (address: string) => http.get(path, { headers: { "x-forwarded-for": address } });

      const { refused, last } = await flood(1203, () => ask("203.0.113.7"));

      assert.equal(refused, 3);
      assertRefused(last!, { status: 429, error: "rate_limit_exceeded" });
      const { limit, window } = last!.body.details;
      assert.deepEqual([limit, window], [1200, "60s"]);
      assert.equal(last!.headers.get("retry-after"), String(last!.body.retry_after));
      assert.equal((await ask("203.0.113.8")).status, 401);
      const other = path === "/widget" ? "/voice-widget" : "/widget";
      const { status } = await http.get(other, { headers: { "x-forwarded-for": "203.0.113.7" } });
      assert.equal(status, 401, `${path} and ${other} count together`);
    }, { env }));
}

Deno.test("reading and following a conversation is limited per visitor, whatever the address; operators have their key's rate", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const path = `/widget/conversations/${chat.id}`;
    const asVisitor = (what: string) => (index: number) =>
      api.http.get(`${path}/${what}`, {
        headers: { ...chat.asVisitor.headers, "x-forwarded-for": `203.0.113.${index}` },
      });

    const read = await flood(122, asVisitor("messages"));
    assert.equal(read.refused, 2);
    assertRefused(read.last!, { status: 429, error: "rate_limit_exceeded" });
    assert.equal((await chat.readAsOperator()).status, 200);
    assert.equal((await chat.say("I may still write")).status, 200);
  }, { env }));

Deno.test("opening event streams is limited per visitor, also with a token that opens nothing", () =>
  withApi(async ({ http }) => {
    const path = `/widget/conversations/${crypto.randomUUID()}/events`;

    const { refused } = await flood(122, () => http.get(path, { headers: { authorization: "Bearer vt_x" } }));

    assert.equal(refused, 2);
  }, { env }));

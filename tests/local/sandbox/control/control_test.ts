import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import { withPlatform } from "../with_platform.ts";

Deno.test("PUT /sandbox/settings changes the named settings and keeps the others", () =>
  withPlatform(async ({ control }) => {
    const before = (await control("GET", "settings")).body;

    const answer = await control("PUT", "settings", { read_ms: 7, pair_limit: true });

    assert.deepEqual(answer.body, { ...before, read_ms: 7, pair_limit: true });
    assert.deepEqual((await control("GET", "settings")).body, answer.body);
  }));

const BAD_SETTINGS = [
  { colour: "red" },
  { read_ms: -1 },
  { read_ms: "1" },
  { webhook_url: "ftp://a.test" },
  [],
];

for (const body of BAD_SETTINGS) {
  Deno.test(`PUT /sandbox/settings refuses ${JSON.stringify(body)}`, () =>
    withPlatform(async ({ control }) => {
      assert.equal((await control("PUT", "settings", body)).status, 400);
    }));
}

Deno.test("controls insist on JSON, so that no page of another origin can use them", () =>
  withPlatform(async ({ url }) => {
    const response = await fetch(`${url}/sandbox/settings`, { method: "PUT", body: "{}" });

    assert.equal(response.status, 415);
    assert.equal(response.headers.get("Access-Control-Allow-Origin"), null);
    await response.body?.cancel();
  }));

Deno.test("settings: latency_ms delays every response", () =>
  withPlatform(async ({ send, control }) => {
    await control("PUT", "settings", { latency_ms: 150 });
    const started = Date.now();

    await send();

    assert.ok(Date.now() - started >= 145);
  }));

Deno.test("GET /sandbox/messages filters by number, reference and what came before", () =>
  withPlatform(async ({ send, control }) => {
    const ids: string[] = [];
    for (const [to, ref] of [["+573001112233", "a"], ["+573001112244", "b"], ["+573001112233", "c"]]) {
      ids.push((await send({ to, biz_opaque_callback_data: ref })).body.messages[0].id);
    }
    const find = async (query: string) =>
      (await control("GET", `messages?${query}`)).body.data.map(({ id }: { id: string }) => ids.indexOf(id));

    assert.deepEqual(await find(""), [0, 1, 2]);
    assert.deepEqual(await find("to=573001112233"), [0, 2]);
    assert.deepEqual(await find("to=%2B573001112244"), [1]);
    assert.deepEqual(await find("ref=c"), [2]);
    assert.deepEqual(await find("limit=2"), [0, 1]);
    assert.deepEqual(await find(`after=${encodeURIComponent(ids[0]!)}`), [1, 2]);
    assert.deepEqual(await find(`to=573001112233&after=${encodeURIComponent(ids[0]!)}`), [2]);
    assert.deepEqual(await find("to=1"), []);
    assert.equal((await control("GET", "messages?limit=0")).status, 400);
  }));

Deno.test("DELETE /sandbox/messages deletes messages and their plans", () =>
  withPlatform(async ({ send, control, hooks }) => {
    await send();
    await control("DELETE", "messages");
    await control("PUT", "settings", { sent_ms: 0, delivered_ms: 0, read_ms: 0 });
    await send({ biz_opaque_callback_data: "second" });

    await eventually(() => assert.equal(hooks.statuses().length, 3));
    assert.ok(hooks.statuses().every(({ biz_opaque_callback_data: ref }) => ref === "second"));
    assert.equal((await control("GET", "messages")).body.total, 1);
  }, { settings: { sent_ms: 50, delivered_ms: 50, read_ms: 50 } }));

Deno.test("GET /sandbox/phones returns the phones with the latest message first", () =>
  withPlatform(async ({ send, control }) => {
    for (const to of ["+573001112233", "+34600111222", "+573001112233"]) await send({ to });

    const { phones } = (await control("GET", "phones")).body;
    const found = (await control("GET", "phones?search=600")).body.phones;

    const seen = phones.map((
      { number, total, messages }: { number: string; total: number; messages: unknown[] },
    ) => [number, total, messages.length]);
    assert.deepEqual(seen, [["573001112233", 2, 2], ["34600111222", 1, 1]]);
    assert.deepEqual(found.map(({ number }: { number: string }) => number), ["34600111222"]);
  }));

Deno.test("POST /sandbox/accounts adds an account that can send at once; tokens are not shown", () =>
  withPlatform(async ({ call, control }) => {
    const account = {
      wabaId: "5000",
      token: "token-z",
      numbers: [{ phoneNumberId: "6000", displayNumber: "15550009999", verifiedName: "New" }],
      templates: [{
        name: "hello",
        language: "en",
        category: "UTILITY",
        status: "APPROVED",
        components: [{ type: "BODY", text: "Hello." }],
      }],
    };

    assert.equal((await control("POST", "accounts", account)).status, 200);

    const sent = await call("POST", "/6000/messages", {
      token: "token-z",
      body: {
        messaging_product: "whatsapp",
        to: "+573001112233",
        type: "template",
        template: { name: "hello", language: { code: "en" } },
      },
    });
    assert.equal(sent.status, 200);
    assert.equal(JSON.stringify((await control("GET", "accounts")).body).includes("token-"), false);
    assert.equal((await control("GET", "templates")).body.data.at(-1).waba_id, "5000");
    assert.equal((await control("POST", "accounts", { ...account, wabaId: "x" })).status, 400);
  }));

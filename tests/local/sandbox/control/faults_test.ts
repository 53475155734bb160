import assert from "node:assert/strict";
import type { JsonObject } from "../../../setup/http/http.ts";
import { eventually } from "../../../setup/eventually.ts";
import { textBody, useTemplate, withPlatform } from "../with_platform.ts";

const names = (statuses: JsonObject[]) => statuses.map(({ status }) => status);

Deno.test("fault code refuses with that code and accepts nothing", () =>
  withPlatform(async ({ send, control }) => {
    await control("POST", "faults", { fault: { code: 131000 } });

    const { status, body } = await send();

    assert.deepEqual([status, body.error.code], [500, 131000]);
    assert.equal((await control("GET", "messages")).body.total, 0);
  }));

Deno.test("fault code accepts another status and any code", () =>
  withPlatform(async ({ send, control }) => {
    await control("POST", "faults", { fault: { code: 424242, status: 418 } });

    const { status, body } = await send();

    assert.deepEqual([status, body.error.code], [418, 424242]);
  }));

Deno.test("fault latency_ms responds late to what was accepted at once", () =>
  withPlatform(async ({ send, control }) => {
    await control("POST", "faults", { fault: { latency_ms: 300 } });
    const started = Date.now();

    const pending = send();
    await eventually(async () => assert.equal((await control("GET", "messages")).body.total, 1));
    const { status } = await pending;

    assert.equal(status, 200);
    assert.ok(Date.now() - started >= 290);
  }));

Deno.test("fault hang accepts the message and never responds", () =>
  withPlatform(async ({ call, url, control, hooks }) => {
    await control("POST", "faults", { fault: "hang", times: 1 });
    const client = new AbortController();
    const pending = sendRaw(url, client.signal);
    await eventually(() => assert.equal(hooks.statuses().length, 3));

    client.abort();

    await assert.rejects(pending, { name: "AbortError" });
    const { accepted, answered } = (await control("GET", "stats")).body;
    assert.deepEqual([accepted, answered], [1, 0]);
    const [message] = (await control("GET", "messages")).body.data;
    assert.equal(message.answered_at, null);
    assert.equal((await call("GET", "/2000")).status, 200);
  }));

Deno.test("fault hang does not keep the sandbox from closing", async () => {
  let pending: Promise<unknown> = Promise.resolve();
  await withPlatform(async ({ send, control }) => {
    await control("POST", "faults", { fault: "hang" });
    pending = assert.rejects(send());
    await eventually(async () => assert.equal((await control("GET", "messages")).body.total, 1));
  });
  await pending;
});

for (const [fault, taken] of [["drop", 1], ["drop_before", 0]] as const) {
  Deno.test(`fault ${fault} closes the socket with ${taken} message accepted`, () =>
    withPlatform(async ({ send, control }) => {
      await control("POST", "faults", { fault, times: 1 });

      await assert.rejects(send(), TypeError);

      const { accepted, answered } = (await control("GET", "stats")).body;
      assert.deepEqual([accepted, answered], [taken, 0]);
      assert.equal((await send()).status, 200);
    }));
}

for (const accepted of [true, false]) {
  Deno.test(`fault http responds with garbage, accepted ${accepted}`, () =>
    withPlatform(async ({ send, control }) => {
      await control("POST", "faults", { fault: { http: 502, body: "<html>bad</html>", accepted } });

      const { status, body } = await send();

      assert.deepEqual([status, body], [502, "<html>bad</html>"]);
      assert.equal((await control("GET", "messages")).body.total, accepted ? 1 : 0);
    }));
}

Deno.test("fault invalid_json responds 200 with broken JSON and accepts the message", () =>
  withPlatform(async ({ send, control }) => {
    await control("POST", "faults", { fault: "invalid_json" });

    const { status, body } = await send();

    assert.equal(status, 200);
    assert.equal(typeof body, "string");
    assert.equal((await control("GET", "messages")).body.total, 1);
  }));

Deno.test("fault empty_wa_id empties wa_id and recipient_id", () =>
  withPlatform(async ({ send, control, hooks }) => {
    await control("POST", "faults", { fault: "empty_wa_id" });

    const { body } = await send();

    assert.equal(body.contacts[0].wa_id, "");
    await eventually(() => assert.equal(hooks.statuses().length, 3));
    assert.deepEqual(hooks.statuses().map(({ recipient_id }) => recipient_id), ["", "", ""]);
  }));

Deno.test("fault duplicate reports each status twice", () =>
  withPlatform(async ({ send, control, hooks }) => {
    await control("POST", "faults", { fault: "duplicate" });
    await send();

    await eventually(() => assert.equal(hooks.statuses().length, 6));
    assert.deepEqual(names(hooks.statuses()).sort(), [
      "delivered",
      "delivered",
      "read",
      "read",
      "sent",
      "sent",
    ]);
    assert.ok(hooks.received.length >= 2);
  }));

Deno.test("fault reorder reports read first, with the times of the true order", () =>
  withPlatform(async ({ send, control, hooks }) => {
    await control("POST", "faults", { fault: "reorder" });
    await send();

    await eventually(() => assert.deepEqual(names(hooks.statuses()), ["read", "delivered", "sent"]));
    const times = hooks.statuses().map(({ timestamp }) => Number(timestamp));
    assert.deepEqual(times, times.toSorted((a, b) => b - a));
  }));

Deno.test("fault read_without_delivered leaves delivered unreported", () =>
  withPlatform(async ({ send, control, hooks }) => {
    await control("POST", "faults", { fault: "read_without_delivered" });
    await send();

    await eventually(() => assert.deepEqual(names(hooks.statuses()), ["sent", "read"]));
    const [message] = (await control("GET", "messages")).body.data;
    assert.deepEqual(names(message.statuses), ["sent", "delivered", "read"]);
  }));

Deno.test("fault webhook_error accepts the message and fails it by webhook", () =>
  withPlatform(async ({ send, control, hooks }) => {
    await control("POST", "faults", { fault: { webhook_error: 131053 } });

    const { status } = await send();

    assert.equal(status, 200);
    await eventually(() => assert.deepEqual(names(hooks.statuses()), ["failed"]));
    assert.equal(hooks.statuses()[0]!.errors[0].code, 131053);
  }));

Deno.test("fault lose reports nothing although statuses are reached", () =>
  withPlatform(async ({ send, control, hooks }) => {
    await control("POST", "faults", { fault: "lose" });
    await send();

    await eventually(async () => {
      const [message] = (await control("GET", "messages")).body.data;
      assert.deepEqual(names(message.statuses), ["sent", "delivered", "read"]);
    });
    assert.equal(hooks.received.length, 0);
  }));

Deno.test("fault early_webhook reports the first status before the response to the send", () =>
  withPlatform(async ({ send, control, hooks }) => {
    await control("POST", "faults", { fault: "early_webhook" });

    await send();
    const toldBefore = names(hooks.statuses());

    assert.deepEqual(toldBefore, ["sent"]);
    const [message] = (await control("GET", "messages")).body.data;
    assert.deepEqual(names(message.statuses), ["sent"]);
  }, { settings: { sent_ms: 60_000, delivered_ms: 60_000, read_ms: 60_000 } }));

Deno.test("fault no_echo leaves the reference out of the webhooks", () =>
  withPlatform(async ({ send, control, hooks }) => {
    await control("POST", "faults", { fault: "no_echo" });
    await send({ biz_opaque_callback_data: "ref" });

    await eventually(() => assert.equal(hooks.statuses().length, 3));
    assert.equal(hooks.statuses().some((status) => "biz_opaque_callback_data" in status), false);
  }));

Deno.test("faults that hit together are merged", () =>
  withPlatform(async ({ send, control, hooks }) => {
    await control("POST", "faults", { fault: "no_echo" });
    await control("POST", "faults", { fault: "read_without_delivered" });
    await send({ biz_opaque_callback_data: "ref" });

    await eventually(() => assert.deepEqual(names(hooks.statuses()), ["sent", "read"]));
    assert.equal("biz_opaque_callback_data" in hooks.statuses()[0]!, false);
  }));

Deno.test("fault match: to, phone_number_id and template must all fit", () =>
  withPlatform(async ({ send, control }) => {
    const match = { to: "573001112233", phone_number_id: "2000", template: "two_values" };
    await control("POST", "faults", { match, fault: { code: 131000 } });

    const other = await send({ to: "+573001112244" });
    const otherTemplate = await send({ template: useTemplate("static_text") });
    const hit = await send();

    assert.deepEqual([other.status, otherTemplate.status, hit.status], [200, 200, 500]);
  }));

Deno.test("fault times: ends after that many hits and counts them", () =>
  withPlatform(async ({ send, control }) => {
    await control("POST", "faults", { times: 2, fault: { code: 131000 } });

    const statuses = [(await send()).status, (await send()).status, (await send()).status];

    assert.deepEqual(statuses, [500, 500, 200]);
    assert.equal((await control("GET", "faults")).body.data[0].hits, 2);
  }));

Deno.test("fault match: a send the platform refuses anyway uses nothing up", () =>
  withPlatform(async ({ send, control }) => {
    await control("POST", "faults", { times: 1, fault: { code: 131000 } });

    const refused = await send({ template: useTemplate("two_values", [textBody("a")]) });
    const hit = await send();

    assert.deepEqual([refused.body.error.code, hit.body.error.code], [132000, 131000]);
  }));

Deno.test("fault probability: the same seed applies to the same sends, another seed to others", async () => {
  const run = async (seed: number) => {
    const pattern: number[] = [];
    await withPlatform(async ({ send, control }) => {
      await control("POST", "faults", { probability: 0.5, fault: { code: 131000 } });
      for (let each = 0; each < 40; each++) pattern.push((await send()).status);
    }, { seed });
    return pattern.join(" ");
  };

  const [first, again, other] = [await run(7), await run(7), await run(8)];

  assert.equal(first, again);
  assert.notEqual(first, other);
  const hits = first.match(/500/g)?.length ?? 0;
  assert.ok(hits > 8 && hits < 32, `${hits} of 40`);
});

Deno.test("DELETE /sandbox/faults ends one fault or all", () =>
  withPlatform(async ({ send, control }) => {
    const first = await control("POST", "faults", { fault: { code: 131000 } });
    await control("POST", "faults", { fault: { code: 131016 } });
    assert.deepEqual([first.status, first.body.id], [201, "1"]);

    assert.deepEqual((await control("DELETE", "faults/1")).body, { removed: 1 });
    assert.equal((await send()).body.error.code, 131016);
    assert.equal((await control("DELETE", "faults/1")).status, 404);
    assert.deepEqual((await control("DELETE", "faults")).body, { removed: 1 });
    assert.equal((await send()).status, 200);
  }));

const BAD_RULES = [
  { case: "no fault", body: {} },
  { case: "an empty fault", body: { fault: {} } },
  { case: "an unknown fault", body: { fault: { explode: true } } },
  { case: "an unknown name", body: { fault: "explode" } },
  { case: "a chance over 1", body: { probability: 2, fault: "hang" } },
  { case: "an unknown match", body: { match: { colour: "red" }, fault: "hang" } },
  { case: "zero times", body: { times: 0, fault: "hang" } },
];

for (const { case: what, body } of BAD_RULES) {
  Deno.test(`POST /sandbox/faults refuses ${what}`, () =>
    withPlatform(async ({ control }) => {
      const answer = await control("POST", "faults", body);

      assert.equal(answer.status, 400);
      assert.equal(typeof answer.body.error, "string");
      assert.deepEqual((await control("GET", "faults")).body.data, []);
    }));
}

async function sendRaw(url: string, signal: AbortSignal): Promise<Response> {
  return await fetch(`${url}/2000/messages`, {
    method: "POST",
    headers: { Authorization: "Bearer token-a", "Content-Type": "application/json" },
    body: new Blob([JSON.stringify({
      messaging_product: "whatsapp",
      to: "+573001112233",
      type: "template",
      template: useTemplate("static_text"),
    })]),
    signal,
  });
}

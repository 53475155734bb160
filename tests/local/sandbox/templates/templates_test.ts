import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { TEST_TEMPLATES } from "../test_templates.ts";
import { APP_SECRET, OTHER_TOKEN, useTemplate, WABA_ID, withPlatform } from "../with_platform.ts";

const LIST = `/v25.0/${WABA_ID}/message_templates`;
const keyOf = ({ name, language }: JsonObject) => `${name} ${language}`;

Deno.test("GET /message_templates pages through all templates by paging.next", () =>
  withPlatform(async ({ call, url }) => {
    const seen: JsonObject[] = [];
    let next: string | undefined = `${LIST}?limit=4&fields=name,language`;
    while (next !== undefined) {
      const { status, body } = await call("GET", next);
      assert.equal(status, 200);
      assert.ok(body.data.length <= 4 && body.paging.cursors.before && body.paging.cursors.after);
      seen.push(...body.data);
      if (body.paging.next !== undefined) assert.ok(body.paging.next.startsWith(`${url}${LIST}?`));
      next = body.paging.next?.slice(url.length);
    }

    assert.deepEqual(seen.map(keyOf), TEST_TEMPLATES.map(keyOf));
    assert.equal(new Set(seen.map(({ id }) => id)).size, TEST_TEMPLATES.length);
  }));

Deno.test("GET /message_templates keeps a cursor good when templates are added", () =>
  withPlatform(async ({ call }) => {
    const known = TEST_TEMPLATES.length - 1;
    const first = await call("GET", `${LIST}?limit=${known}`);
    await call("POST", LIST, { body: newTemplate() });

    const second = await call("GET", `${LIST}?limit=${known}&after=${first.body.paging.cursors.after}`);

    assert.deepEqual(second.body.data.map(keyOf), ["rejected_one en_US", "brand_new en_US"]);
    assert.equal("next" in second.body.paging, false);
  }));

Deno.test("GET /message_templates returns the asked fields and always the id", () =>
  withPlatform(async ({ call }) => {
    const { body } = await call("GET", `${LIST}?fields=status,quality_score&limit=1`);

    assert.deepEqual(Object.keys(body.data[0]).sort(), ["id", "quality_score", "status"]);
    assert.match(body.data[0].id, /^\d{15}$/);
  }));

Deno.test("GET /message_templates without fields returns the whole template in upper case", () =>
  withPlatform(async ({ call }) => {
    const { body } = await call("GET", `${LIST}?limit=1`);

    const { id: _, ...template } = body.data[0];
    assert.deepEqual(template, {
      name: "two_values",
      parameter_format: "POSITIONAL",
      components: TEST_TEMPLATES[0]!.components,
      language: "en_US",
      status: "APPROVED",
      category: "UTILITY",
    });
  }));

const FILTERS = [
  { query: "name=two_values", found: ["two_values en_US", "two_values es"] },
  { query: "name=two_values&language=es", found: ["two_values es"] },
  { query: "status=PAUSED", found: ["paused_one en_US"] },
  { query: "status=PAUSED,REJECTED", found: ["paused_one en_US", "rejected_one en_US"] },
  { query: "category=MARKETING", found: ["offer en_US"] },
  { query: "name=two_val&language=es,fr", found: ["two_values es"] },
];

for (const { query, found } of FILTERS) {
  Deno.test(`GET /message_templates filters by ${query}`, () =>
    withPlatform(async ({ call }) => {
      const { body } = await call("GET", `${LIST}?${query}`);

      assert.deepEqual(body.data.map(keyOf), found);
    }));
}

const BAD_READS = [
  { case: "no token", path: LIST, token: null, code: 200, status: 401 },
  { case: "a wrong token", path: LIST, token: "wrong", code: 190, status: 401 },
  { case: "another account's token", path: LIST, token: OTHER_TOKEN, code: 100, status: 400 },
  { case: "an unknown field", path: `${LIST}?fields=colour`, code: 100, status: 400 },
  { case: "an unknown part of the summary", path: `${LIST}?summary=colour`, code: 100, status: 400 },
  { case: "another account", path: "/v25.0/1001", code: 100, status: 400 },
  { case: "a limit of 0", path: `${LIST}?limit=0`, code: 100, status: 400 },
  { case: "a cursor of another list", path: `${LIST}?after=abc`, code: 100, status: 400 },
  { case: "an unknown id", path: "/v25.0/12345", code: 100, status: 400 },
  { case: "an unknown path", path: "/v25.0/12345/nothing", code: 100, status: 404 },
];

for (const { case: what, path, token, code, status } of BAD_READS) {
  Deno.test(`GET of platform objects refuses ${what} with ${code}`, () =>
    withPlatform(async ({ call }) => {
      const answer = await call("GET", path, token === undefined ? {} : { token });

      assert.deepEqual([answer.status, answer.body.error.code], [status, code]);
    }));
}

Deno.test("GET /{template_id} returns one template to its own account only", () =>
  withPlatform(async ({ call }) => {
    const { id } = (await call("GET", `${LIST}?name=rejected_one`)).body.data[0];

    const own = await call("GET", `/v25.0/${id}?fields=status,rejected_reason`);
    const foreign = await call("GET", `/v25.0/${id}`, { token: OTHER_TOKEN });

    assert.deepEqual(own.body, { status: "REJECTED", rejected_reason: "SCAM", id });
    assert.deepEqual([foreign.body.error.code, foreign.body.error.error_subcode], [100, 33]);
  }));

Deno.test("GET /phone_numbers and /{phone_number_id} describe a number", () =>
  withPlatform(async ({ call }) => {
    const list = await call("GET", `/v25.0/${WABA_ID}/phone_numbers`);
    const one = await call("GET", "/v25.0/2000?fields=status,throughput");

    const [number] = list.body.data;
    assert.equal(number.id, "2000");
    assert.equal(number.verified_name, "Example Traders");
    assert.equal(number.display_phone_number.replace(/\D/g, ""), "15550001111");
    assert.equal("next" in list.body.paging, false);
    assert.deepEqual(one.body, { status: "CONNECTED", throughput: { level: "HIGH" }, id: "2000" });
  }));

Deno.test("POST /message_templates accepts a template for review, lower-case words too", () =>
  withPlatform(async ({ call, send }) => {
    const body = newTemplate({ category: "utility", parameter_format: "positional" });
    body.components[0].type = "body";

    const created = await call("POST", LIST, { body });

    assert.equal(created.status, 200);
    assert.deepEqual([created.body.status, created.body.category], ["PENDING", "UTILITY"]);
    const read = await call("GET", `/v25.0/${created.body.id}`);
    assert.equal(read.body.components[0].type, "BODY");
    assert.equal((await send({ template: useTemplate("brand_new") })).body.error.code, 132001);
  }));

const part = (type: string, more: JsonObject) => ({ type, ...more });
const bodyPart = (text: string, ...examples: string[]) =>
  part("BODY", { text, ...(examples.length > 0 && { example: { body_text: [examples] } }) });
const withParts = (...components: unknown[]) => ({ components: [bodyPart("Something new."), ...components] });
const withBody = (text: string, ...examples: string[]) => ({ components: [bodyPart(text, ...examples)] });
const withButtons = (...buttons: unknown[]) => withParts(part("BUTTONS", { buttons }));
const reply = { type: "QUICK_REPLY", text: "Stop" };
const link = { type: "URL", text: "Open", url: "https://a.test" };

const REFUSED: { case: string; changes: JsonObject; code?: number; subcode?: number }[] = [
  { case: "a name with capitals", changes: { name: "Brand" } },
  { case: "a name with a hyphen", changes: { name: "brand-new" } },
  { case: "a name over 512", changes: { name: "a".repeat(513) } },
  { case: "an unknown category", changes: { category: "NEWS" }, code: 131009 },
  { case: "no language", changes: { language: undefined }, code: 131008 },
  { case: "a bad language", changes: { language: "english" }, code: 131009 },
  { case: "an unknown field", changes: { colour: "red" } },
  { case: "an existing name and language", changes: { name: "two_values" }, subcode: 2388024 },
  { case: "the wording of another template", changes: withBody("Look."), subcode: 2388024 },
  { case: "a lifetime below its category's", changes: { message_send_ttl_seconds: 10 } },
  { case: "no body", changes: { components: [part("FOOTER", { text: "x" })] }, subcode: 2388072 },
  { case: "an empty body", changes: withBody(" "), subcode: 2388072 },
  { case: "two bodies", changes: withParts(bodyPart("Again.")) },
  { case: "a body over 1024", changes: withBody("a".repeat(1025)), subcode: 2388040 },
  { case: "a gap in the numbers", changes: withBody("Hi {{1}} and then {{3}} here.", "a", "b") },
  { case: "words in a positional template", changes: withBody("Hi {{name}} over there.", "a") },
  { case: "a missing example", changes: withBody("Hi {{1}} over there.") },
  { case: "a leading variable", changes: withBody("{{1}} is here today.", "a"), subcode: 2388299 },
  { case: "a trailing variable", changes: withBody("Here today is {{1}}", "a"), subcode: 2388299 },
  { case: "touching variables", changes: withBody("Hello to you {{1}}{{2}} over there.", "a", "b") },
  {
    case: "too many variables",
    changes: withBody("Hi {{1}}, {{2}}, {{3}} there.", "a", "b", "c"),
    subcode: 2388293,
  },
  {
    case: "a capital in a named variable",
    changes: {
      parameter_format: "NAMED",
      components: [part("BODY", {
        text: "Hi {{Name}} over there.",
        example: { body_text_named_params: [{ param_name: "Name", example: "a" }] },
      })],
    },
  },
  { case: "a header without format", changes: withParts(part("HEADER", { text: "x" })), subcode: 2388047 },
  {
    case: "a header over 60",
    changes: withParts(part("HEADER", { format: "TEXT", text: "a".repeat(61) })),
    subcode: 2388040,
  },
  {
    case: "two variables in a header",
    changes: withParts(part("HEADER", { format: "TEXT", text: "a {{1}} {{2}}" })),
    subcode: 2388047,
  },
  {
    case: "a picture without sample",
    changes: withParts(part("HEADER", { format: "IMAGE" })),
    subcode: 2388047,
  },
  {
    case: "a footer over 60",
    changes: withParts(part("FOOTER", { text: "a".repeat(61) })),
    subcode: 2388040,
  },
  {
    case: "a variable in the footer",
    changes: withParts(part("FOOTER", { text: "by {{1}}" })),
    subcode: 2388073,
  },
  { case: "no buttons in BUTTONS", changes: withButtons() },
  { case: "eleven buttons", changes: withButtons(...Array(11).fill(reply)) },
  { case: "three links", changes: withButtons(link, link, link) },
  { case: "parted quick replies", changes: withButtons(reply, link, reply) },
  { case: "a label over 25", changes: withButtons({ ...reply, text: "a".repeat(26) }), subcode: 2388040 },
  { case: "a link without address", changes: withButtons({ type: "URL", text: "Open" }) },
  {
    case: "a link over 2000",
    changes: withButtons({ ...link, url: `https://a.test/${"a".repeat(2000)}` }),
    subcode: 2388040,
  },
  {
    case: "a variable inside a link",
    changes: withButtons({ ...link, url: "https://a.test/{{1}}/b", example: ["x"] }),
  },
  { case: "a variable link without example", changes: withButtons({ ...link, url: "https://a.test/{{1}}" }) },
  { case: "a phone button without number", changes: withButtons({ type: "PHONE_NUMBER", text: "Call" }) },
  { case: "a code over 15", changes: withButtons({ type: "COPY_CODE", example: "a".repeat(16) }) },
];

for (const { case: what, changes, code = 100, subcode } of REFUSED) {
  Deno.test(`POST /message_templates refuses ${what}`, () =>
    withPlatform(async ({ call }) => {
      const { status, body } = await call("POST", LIST, { body: newTemplate(changes) });

      assert.equal(status, 400, JSON.stringify(body));
      assert.deepEqual([body.error.code, body.error.error_subcode], [code, subcode], JSON.stringify(body));
      assert.ok(body.error.error_data.details);
    }));
}

Deno.test("POST /message_templates refuses the 251st template of an account", () =>
  withPlatform(async ({ call }) => {
    for (let each = TEST_TEMPLATES.length; each < 250; each++) {
      const created = await call("POST", LIST, {
        body: newTemplate({ name: `t_${each}`, ...withBody(`Text ${each}.`) }),
      });
      assert.equal(created.status, 200);
    }

    const { body } = await call("POST", LIST, { body: newTemplate() });

    assert.equal(body.error.error_subcode, 2388019);
  }));

Deno.test("DELETE /message_templates removes all languages of a name and blocks it", () =>
  withPlatform(async ({ call, send }) => {
    const removed = await call("DELETE", `${LIST}?name=two_values`);

    assert.deepEqual(removed.body, { success: true });
    assert.deepEqual((await call("GET", `${LIST}?name=two_values`)).body.data, []);
    assert.equal((await send()).body.error.code, 132001);
    const again = await call("POST", LIST, { body: newTemplate({ name: "two_values" }) });
    assert.equal(again.body.error.error_subcode, 2388023);
  }));

Deno.test("DELETE /message_templates removes one language by hsm_id", () =>
  withPlatform(async ({ call }) => {
    const { id } = (await call("GET", `${LIST}?name=two_values&language=es`)).body.data[0];

    await call("DELETE", `${LIST}?name=two_values&hsm_id=${id}`);

    assert.deepEqual((await call("GET", `${LIST}?name=two_values`)).body.data.map(keyOf), [
      "two_values en_US",
    ]);
  }));

for (
  const [what, query] of [["an unknown name", "name=x"], ["a disabled one", "name=disabled_one"], [
    "no name",
    "",
  ]]
) {
  Deno.test(`DELETE /message_templates refuses ${what}`, () =>
    withPlatform(async ({ call }) => {
      const { status, body } = await call("DELETE", `${LIST}?${query}`);

      assert.deepEqual([status, body.error.code], [400, 100]);
    }));
}

Deno.test("PUT /sandbox/templates/{id} changes a status and reports it by signed webhook", () =>
  withPlatform(async ({ call, control, hooks, send }) => {
    const { id } = (await call("GET", `${LIST}?name=pending_one`)).body.data[0];

    const changed = await control("PUT", `templates/${id}`, { status: "APPROVED" });

    assert.equal(changed.body.status, "APPROVED");
    await eventually(() => assert.equal(hooks.received.length, 1));
    const { body, bytes, signature } = hooks.received[0]!;
    assert.equal(signature, `sha256=${createHmac("sha256", APP_SECRET).update(bytes).digest("hex")}`);
    assert.ok(Number.isInteger(body.entry[0].time));
    assert.deepEqual(body.entry[0].changes, [{
      field: "message_template_status_update",
      value: {
        event: "APPROVED",
        message_template_id: Number(id),
        message_template_name: "pending_one",
        message_template_language: "en-US",
        reason: "NONE",
        message_template_category: "UTILITY",
      },
    }]);
    assert.equal((await send({ template: useTemplate("pending_one") })).status, 200);
  }));

const EVENTS = [
  { change: { status: "PAUSED" }, reason: "NONE", extra: "other_info" },
  { change: { status: "DISABLED" }, reason: "NONE", extra: "disable_info" },
  { change: { status: "REJECTED" }, reason: "INVALID_FORMAT", extra: "rejection_info" },
  { change: { status: "REJECTED", reason: "SCAM" }, reason: "SCAM", extra: undefined },
];

for (const { change, reason, extra } of EVENTS) {
  Deno.test(`PUT /sandbox/templates/{id} reports ${change.status} with reason ${reason}`, () =>
    withPlatform(async ({ call, control, hooks }) => {
      const { id } = (await call("GET", `${LIST}?name=picture`)).body.data[0];

      await control("PUT", `templates/${id}`, change);

      await eventually(() => assert.equal(hooks.received.length, 1));
      const { value } = hooks.received[0]!.body.entry[0].changes[0];
      assert.deepEqual([value.event, value.reason], [change.status, reason]);
      if (extra !== undefined) assert.equal(typeof value[extra], "object");
    }));
}

Deno.test("PUT /sandbox/templates/{id} responds 404 for an unknown template and 400 for a bad status", () =>
  withPlatform(async ({ control }) => {
    assert.equal((await control("PUT", "templates/1", { status: "PAUSED" })).status, 404);
    assert.equal((await control("PUT", "templates/1", { status: "paused" })).status, 400);
  }));

// deno-lint-ignore no-explicit-any -- tests take it apart
function newTemplate(changes: JsonObject = {}): any {
  return {
    name: "brand_new",
    language: "en_US",
    category: "UTILITY",
    components: [bodyPart("Something new.")],
    ...changes,
  };
}

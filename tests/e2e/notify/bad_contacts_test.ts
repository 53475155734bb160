import assert from "node:assert/strict";
import type { JsonObject } from "../../setup/http/http.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { withApi } from "../with_api.ts";

const good = (index: number) => ({ number: `3460011${1000 + index}`, name: "Asha" });

/** A list in a list in a list. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

const manyFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, "x"]));

Deno.test("a contact that is nested too deep, or holds too much, is one entry in errors; the others are sent", () =>
  withApi(async ({ notify }) => {
    const number = "34600119999";
    const bad: [contact: unknown, reason: RegExp, outline: (contact: JsonObject) => boolean][] = [
      [{ number, deep: nested(15) }, /nested deeper than 14 levels/, (contact) => contact.deep === undefined],
      [{ number, deep: nested(1000) }, /nested deeper/, (contact) => contact.number === number],
      [nested(1000), /nested deeper/, (contact) => contact === null],
      [{ number, ...manyFields(30_000) }, /too many values/, (contact) => contact.number === number],
      [{ number, list: Array(30_000).fill(1) }, /too many values/, (contact) => contact.number === number],
    ];
    for (const [contact, reason, isOutlined] of bad) {
      const contacts = [...Array.from({ length: 98 }, (_, index) => good(index)), contact, good(98)];
      for (const query of [{}, { dry_run: "true" }] as Record<string, string>[]) {
        const { status, body } = await notify({ contact: undefined, contacts }, { query });
        assert.equal(status, 200, JSON.stringify(body).slice(0, 300));
        if (query.dry_run) {
          assert.deepEqual([body.ok, body.invalid], [99, 1]);
          continue;
        }
        assert.deepEqual([body.processed, body.failed], [99, 1]);
        assert.match(body.errors[0].reason, reason);
        assert.ok(isOutlined(body.errors[0].contact));
      }
    }
  }));

Deno.test("a contact of a megabyte of brackets is one entry in errors", () =>
  withApi(async (api) => {
    const body = notifyBody(api, { contact: undefined, contacts: ["DEEP", good(1)] });
    const rawBody = JSON.stringify(body).replace('"DEEP"', "[".repeat(500_000) + "]".repeat(500_000));
    const options = {
      query: { access_key: api.key.key },
      headers: { "content-type": "application/json" },
      rawBody,
    };
    const response = await api.http.post("/notify", undefined, options);
    assert.deepEqual([response.status, response.body.processed, response.body.failed], [200, 1, 1]);
  }));

Deno.test("contacts that together hold too much leave out the largest of them", () =>
  withApi(async ({ notify }) => {
    const contacts = Array.from(
      { length: 100 },
      (_, index) => ({ ...good(index), ...manyFields(index < 2 ? 9000 : 50) }),
    );
    const { status, body } = await notify({ contact: undefined, contacts }, { query: { details: "true" } });

    assert.equal(status, 200);
    assert.deepEqual([body.processed, body.failed], [99, 1]);
    assert.ok(body.errors[0].index < 2);
  }));

Deno.test("a single contact that is nested too deep is refused, and so is a body around good contacts", () =>
  withApi(async ({ notify }) => {
    for (
      const changes of [
        { contact: { ...good(1), deep: nested(20) } },
        { contact: undefined, contacts: [good(1)], deep: nested(20) },
      ]
    ) {
      const { status, body } = await notify(changes);
      assert.deepEqual([status, body.error], [400, "validation_failed"]);
    }
  }));

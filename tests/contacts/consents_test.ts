import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { minutesFromNow, suppress, withContacts } from "./with_contacts.ts";

const NUMBER = "34600111222";
const granted = (changes: JsonObject = {}) => ({
  number: NUMBER,
  channel: "any",
  category: "marketing",
  status: "granted",
  method: "website",
  detail: "Form 3",
  consented_at: minutesFromNow(-5),
  ...changes,
});

Deno.test("POST …/contacts/consents records consents with their evidence, once each", () =>
  withContacts(async ({ ask }) => {
    const consents = [granted(), granted({ channel: "voice", detail: null }), granted({ number: "1" })];
    consents.push(consents[0]!);

    const { body } = await ask("POST", "consents", { consents });
    const again = await ask("POST", "consents", { consents });
    const list = await ask("GET", "consents", undefined, { number: NUMBER });

    assert.deepEqual([body.added, body.already, body.invalid], [2, 1, 1]);
    assert.deepEqual(body.errors.map(({ index }: JsonObject) => index), [2]);
    assert.deepEqual([again.body.added, again.body.already], [0, 3]);
    const channels = list.body.consents.map(({ channel }: JsonObject) => channel);
    assert.deepEqual(channels.sort(), ["any", "voice"]);
    const [voice] = list.body.consents.filter(({ channel }: JsonObject) => channel === "voice");
    assert.deepEqual([voice.method, voice.detail, voice.source, voice.status], [
      "website",
      null,
      "api",
      "granted",
    ]);
  }));

const BAD_CONSENTS: [changes: JsonObject, field: string][] = [
  [{ channel: undefined }, "channel"],
  [{ status: undefined }, "status"],
  [{ status: "maybe" }, "status"],
  [{ method: undefined }, "method"],
  [{ method: "" }, "method"],
  [{ method: "a\nb" }, "method"],
  [{ method: "m".repeat(101) }, "method"],
  [{ consented_at: undefined }, "consented_at"],
  [{ consented_at: "yesterday" }, "consented_at"],
  [{ consented_at: minutesFromNow(60) }, "consented_at"],
  [{ number: undefined }, "number"],
];

Deno.test("POST …/contacts/consents names the field of each consent that does not fit", () =>
  withContacts(async ({ ask }) => {
    const { body } = await ask("POST", "consents", {
      consents: BAD_CONSENTS.map(([changes]) => granted(changes)),
    });

    assert.equal(body.invalid, BAD_CONSENTS.length);
    assert.deepEqual(
      body.errors.map(({ field }: JsonObject) => field),
      BAD_CONSENTS.map(([, field]) => field),
    );
  }));

Deno.test("a consent up to a minute ahead of our clock is taken", () =>
  withContacts(async ({ ask }) => {
    const { body } = await ask("POST", "consents", {
      consents: [granted({ consented_at: minutesFromNow(0.8) })],
    });

    assert.equal(body.added, 1);
  }));

/** Suppressions of ten minutes ago, or as given, and those that stay after a consent of five minutes ago. */
const LIFTED: [name: string, suppression: JsonObject, kept: string[]][] = [
  ["a keyword", { source: "keyword" }, []],
  ["a button", { source: "button" }, []],
  ["the API's", { source: "api" }, []],
  ["an import", { source: "import" }, []],
  ["a narrower channel", { source: "keyword", channel: "whatsapp" }, []],
  ["the platform's", { source: "platform" }, ["platform"]],
  ["an operator's", { source: "operator" }, ["operator"]],
  ["a later keyword", { source: "keyword", at: minutesFromNow(0) }, ["keyword"]],
  ["a wider category", { source: "keyword", category: "all" }, ["keyword"]],
];

Deno.test("a consent lifts what was suppressed before it, and says what stays", async (test) => {
  for (const [name, suppression, kept] of LIFTED) {
    await test.step(name, () =>
      withContacts(async (t) => {
        await suppress(t, { number: NUMBER, ...suppression });

        const { body } = await t.ask("POST", "consents", {
          consents: [granted({ number: "1" }), granted()],
        });

        const expected = kept.length > 0 ? [{ index: 1, sources: kept }] : [];
        assert.deepEqual(body.still_suppressed, expected);
        const { body: { suppressions } } = await t.ask("GET", "suppressions");
        assert.equal(suppressions.length, kept.length);
      }));
  }
});

Deno.test("a withdrawal suppresses, unless a later grant is known", () =>
  withContacts(async ({ ask }) => {
    const withdrawn = (changes: JsonObject) => granted({ status: "withdrawn", ...changes });

    await ask("POST", "consents", { consents: [withdrawn({ consented_at: minutesFromNow(-7) })] });
    const first = await ask("GET", "suppressions");
    await ask("POST", "consents", { consents: [granted()] });
    const second = await ask("GET", "suppressions");
    await ask("POST", "consents", { consents: [withdrawn({ consented_at: minutesFromNow(-6) })] });
    const third = await ask("GET", "suppressions");

    assert.deepEqual(first.body.suppressions.map(({ source }: JsonObject) => source), ["api"]);
    assert.deepEqual([second.body.suppressions, third.body.suppressions], [[], []]);
  }));

Deno.test("GET …/contacts/consents filters and goes on page by page, the newest first", () =>
  withContacts(async ({ ask }) => {
    for (const number of ["34600000001", "34600000002", "34600000003"]) {
      await ask("POST", "consents", { consents: [granted({ number })] });
    }
    await ask("POST", "consents", { consents: [granted({ number: "34600000002", status: "withdrawn" })] });
    const page = async (query: Record<string, string>) => {
      const { body } = await ask("GET", "consents", undefined, query);
      return [body.consents.map(({ number }: JsonObject) => number.at(-1)).join(""), body.next] as const;
    };

    const [first, next] = await page({ limit: "3" });
    assert.deepEqual([first, ...await page({ limit: "3", after: next! })], ["232", "1", null]);
    assert.equal((await page({ status: "withdrawn" }))[0], "2");
    assert.equal((await page({ channel: "voice" }))[0], "");
  }));

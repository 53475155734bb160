import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { insertWebhook, readEvents } from "../setup/fixtures/webhooks.ts";
import { minutesFromNow, suppress, withContacts } from "./with_contacts.ts";

const NUMBER = "34600111222";

Deno.test("POST …/contacts/suppressions counts what is new, what was there and what does not fit", () =>
  withContacts(async ({ ask }) => {
    const suppressions = [
      { number: NUMBER },
      { number: NUMBER, channel: "any", category: "marketing" },
      { number: NUMBER, channel: "voice", category: "all", detail: "By phone", at: minutesFromNow(-60) },
      { user_id: "ES.1349aBc" },
      { number: "+34600111222" },
    ];

    const { status, body } = await ask("POST", "suppressions", { suppressions });
    const again = await ask("POST", "suppressions", { suppressions });

    assert.equal(status, 200);
    assert.deepEqual([body.added, body.already, body.invalid], [3, 1, 1]);
    assert.deepEqual(body.errors.map(({ index, field }: JsonObject) => [index, field]), [[4, "number"]]);
    assert.deepEqual([again.body.added, again.body.already], [0, 4]);
  }));

/** Entries that do not fit, and the field that the error names. */
const BAD_ENTRIES: [entry: unknown, field: string, reason: RegExp][] = [
  [{}, "number", /required/],
  [{ number: null, user_id: null }, "number", /required/],
  [{ number: 34600111222 }, "number", /digits only/],
  [{ number: "0600111222" }, "number", /no leading 0/],
  [{ user_id: "es.1349" }, "user_id", /two capital letters/],
  [{ number: NUMBER, channel: "sms" }, "channel", /one of any, whatsapp, voice/],
  [{ number: NUMBER, category: "utility" }, "category", /one of marketing, all/],
  [{ number: NUMBER, at: "2026-01-01" }, "at", /a time with its offset/],
  [{ number: NUMBER, at: "0000-01-01T00:00:00Z" }, "at", /a time with its offset/],
  [{ number: NUMBER, at: "2026-01-01T00:00:00+20:00" }, "at", /a time with its offset/],
  [{ number: NUMBER, at: minutesFromNow(60) }, "at", /not in the future/],
  [{ number: NUMBER, detail: "x".repeat(1001) }, "detail", /at most 1000/],
  [{ number: NUMBER, detail: "\u0007" }, "detail", /without control characters/],
  [{ number: NUMBER, source: "platform" }, "source", /Unrecognized key/],
  ["34600111222", "", /object/],
  [null, "", /object|required/],
];

Deno.test("POST …/contacts/suppressions says of each entry that does not fit which field, and why", () =>
  withContacts(async ({ ask }) => {
    const { body } = await ask("POST", "suppressions", {
      suppressions: BAD_ENTRIES.map(([entry]) => entry),
    });

    assert.deepEqual([body.added, body.invalid], [0, BAD_ENTRIES.length]);
    body.errors.forEach(({ index, field, reason }: JsonObject, position: number) => {
      const [, expected, why] = BAD_ENTRIES[position]!;
      assert.deepEqual([index, field], [position, expected]);
      assert.match(reason, why, `entry ${position}`);
    });
  }));

const BAD_BODIES: [body: unknown, field: string][] = [
  [{}, "suppressions"],
  [{ suppressions: [] }, "suppressions"],
  [{ suppressions: {} }, "suppressions"],
  [{ suppressions: Array.from({ length: 1001 }, () => ({ number: NUMBER })) }, "suppressions"],
  [{ suppressions: [{ number: NUMBER }], dry_run: true }, "dry_run"],
];

Deno.test("POST …/contacts/suppressions refuses a body without a list of 1 to 1,000 entries", () =>
  withContacts(async ({ ask }) => {
    for (const [body, field] of BAD_BODIES) {
      const response = await ask("POST", "suppressions", body);
      assert.deepEqual([response.status, response.body.error], [400, "validation_failed"]);
      assert.equal(response.body.details.field, field);
    }
  }));

Deno.test("POST …/contacts/suppressions takes 1,000 entries, and the list returns them page by page", () =>
  withContacts(async ({ ask }) => {
    const numbers = Array.from({ length: 1000 }, (_, index) => String(34_600_000_000 + index));

    const { body } = await ask("POST", "suppressions", {
      suppressions: numbers.map((number) => ({ number, detail: "A list" })),
    });
    const listed: string[] = [];
    for (let after: string | null = ""; after !== null;) {
      const page: JsonObject = (await ask("GET", "suppressions", undefined, {
        limit: "333",
        ...after && { after },
      })).body;
      listed.push(...page.suppressions.map((row: JsonObject) => row.number));
      after = page.next;
    }

    assert.equal(body.added, 1000);
    assert.deepEqual(listed.sort(), numbers);
  }));

Deno.test("GET …/contacts/suppressions filters, and shows lifted ones only on request", () =>
  withContacts(async (t) => {
    await suppress(t, { number: NUMBER, evidence: { text: "BAJA" } });
    await suppress(t, { number: NUMBER, source: "platform", channel: "whatsapp" });
    await t.ask("POST", "suppressions", { suppressions: [{ number: "34600111333", channel: "voice" }] });
    await t.ask("DELETE", "suppressions", { number: "34600111333", channel: "voice", category: "marketing" });
    const found = async (query: Record<string, string>) => {
      const { body } = await t.ask("GET", "suppressions", undefined, query);
      return body.suppressions.map(({ number, channel, source }: JsonObject) =>
        `${number} ${channel} ${source}`
      );
    };

    assert.deepEqual(await found({}), [`${NUMBER} whatsapp platform`, `${NUMBER} any keyword`]);
    assert.deepEqual(await found({ source: "keyword" }), [`${NUMBER} any keyword`]);
    assert.deepEqual(await found({ channel: "whatsapp" }), [`${NUMBER} whatsapp platform`]);
    assert.deepEqual(await found({ number: "34600111333" }), []);
    assert.deepEqual(await found({ number: "34600111333", lifted: "true" }), ["34600111333 voice api"]);
    const { body } = await t.ask("GET", "suppressions", undefined, {
      number: "34600111333",
      lifted: "true",
    });
    assert.equal(body.suppressions[0].lifted_by, "api");
  }));

const BAD_QUERIES = ["number=+34", "user_id=es.1", "channel=sms", "source=me", "limit=0", "limit=1001"]
  .concat("limit=ten", "after=x", "lifted=yes");

Deno.test("GET …/contacts/suppressions names the parameter that does not fit", () =>
  withContacts(async ({ ask }) => {
    for (const parameter of BAD_QUERIES) {
      const [name, value] = parameter.split("=") as [string, string];
      const response = await ask("GET", "suppressions", undefined, { [name]: value });
      assert.deepEqual([response.status, response.body.details?.field], [400, name], parameter);
    }
  }));

Deno.test("a person with a number and a user id is suppressed under both, and one event says so", () =>
  withContacts(async (t) => {
    await insertWebhook(t.sql, t.company.id);
    await t.sql`select outbound.link_user_id(${t.company.id}, 'ES.1349', ${NUMBER}, null, now())`;

    await t.ask("POST", "suppressions", { suppressions: [{ number: NUMBER }] });
    const again = await t.ask("POST", "suppressions", { suppressions: [{ user_id: "ES.1349" }] });
    const stored = await t.sql<{ address: string }[]>`
      select address from outbound.suppressions where company_id = ${t.company.id} order by address`;

    assert.equal(again.body.already, 1);
    assert.deepEqual(stored.map(({ address }) => address), [NUMBER, "ES.1349"]);
    const events = await readEvents(t.sql, t.company.id);
    assert.deepEqual(events.map(({ type }) => type), ["contact.opted_out"]);
  }));

Deno.test("GET …/contacts/suppressions and consents list a person with several addresses once, under any of them", () =>
  withContacts(async (t) => {
    const [number, user_id] = [NUMBER, "ES.1349aBc"];
    await t.sql`select outbound.link_user_id(${t.company.id}, ${user_id}, ${number}, null, now())`;
    await suppress(t, { number });
    await suppress(t, { number: "34600111999" });
    const consent = {
      channel: "any",
      status: "granted",
      method: "paper",
      consented_at: "2020-01-01T09:00:00Z",
    };
    await t.ask("POST", "consents", { consents: [{ ...consent, number }] });
    const [stored] = await t.sql`
      select count(*)::int as rows from outbound.suppressions where company_id = ${t.company.id}`;
    assert.equal(stored!.rows, 3);

    const found = async (kind: string, query: Record<string, string> = {}) => {
      const { body } = await t.ask("GET", kind, undefined, query);
      return body[kind].map((row: JsonObject) => row.number ?? row.user_id);
    };

    assert.deepEqual((await found("suppressions")).sort(), [number, "34600111999"].sort());
    assert.deepEqual(await found("suppressions", { user_id }), [number]);
    assert.deepEqual(await found("suppressions", { number }), [number]);
    assert.deepEqual(await found("consents"), [number]);
    assert.deepEqual(await found("consents", { user_id }), [number]);
  }));

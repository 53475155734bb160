import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { insertWebhook, readEvents } from "../setup/fixtures/webhooks.ts";
import { minutesFromNow, suppress, withContacts } from "./with_contacts.ts";

const NUMBER = "34600111222";
const SCOPE = { number: NUMBER, channel: "any", category: "marketing" };
/** Of the person's own opt-outs in the table. */
const OPTED_OUT_AT = minutesFromNow(-10);
const evidence = (minutes: number) => ({ method: "website", consented_at: minutesFromNow(minutes) });

/** The suppressions, the request, and the response. The person's own opt-outs are ten minutes old. */
const LIFTS: [name: string, suppressed: JsonObject[], change: JsonObject, status: number, result: unknown][] =
  [
    ["nothing", [], {}, 404, "not_found"],
    ["another channel", [{ channel: "voice" }], { channel: "whatsapp" }, 404, "not_found"],
    ["a wider category", [{ category: "all" }], {}, 404, "not_found"],
    ["what the API recorded", [{ source: "api" }], {}, 200, []],
    ["what was imported", [{ source: "import" }], {}, 200, []],
    [
      "what was recorded a moment ahead of our clock",
      [{ source: "api", at: minutesFromNow(1) }],
      {},
      200,
      [],
    ],
    ["a narrower scope", [{ source: "api", channel: "voice" }], { category: "all" }, 200, []],
    ["what the platform reported", [{ source: "platform" }], evidence(0), 409, "suppression_kept"],
    ["what an operator recorded", [{ source: "operator" }], evidence(0), 409, "suppression_kept"],
    ["a keyword without evidence", [{ source: "keyword" }], {}, 400, "validation_failed"],
    ["a button without evidence", [{ source: "button" }], {}, 400, "validation_failed"],
    ["a keyword with earlier evidence", [{ source: "keyword" }], evidence(-11), 400, "validation_failed"],
    [
      "evidence without a method",
      [{ source: "keyword" }],
      {
        consented_at: minutesFromNow(0),
      },
      400,
      "validation_failed",
    ],
    ["evidence from the future", [{ source: "keyword" }], evidence(60), 400, "validation_failed"],
    ["a keyword with later evidence", [{ source: "keyword" }], evidence(-9), 200, []],
    ["a button with later evidence", [{ source: "button" }], evidence(-9), 200, []],
    [
      "a keyword and an import, without evidence",
      [{ source: "keyword" }, { source: "import" }],
      {},
      400,
      "validation_failed",
    ],
    ["an import beside the platform's", [{ source: "import" }, { source: "platform" }], {}, 200, [
      "platform",
    ]],
    ["an import beside a wider one", [{ source: "import" }, { source: "api", category: "all" }], {}, 200, [
      "api",
    ]],
  ];

Deno.test("DELETE …/contacts/suppressions lifts only what the caller may lift", async (test) => {
  for (const [name, suppressed, change, status, result] of LIFTS) {
    await test.step(name, () =>
      withContacts(async (t) => {
        for (const suppression of suppressed) {
          await suppress(t, { number: NUMBER, at: OPTED_OUT_AT, ...suppression });
        }

        const response = await t.ask("DELETE", "suppressions", { ...SCOPE, ...change });

        assert.equal(response.status, status, JSON.stringify(response.body));
        assert.deepEqual(response.body.error ?? response.body.still_suppressed_by, result);
        const [row] = await t.sql`
          select count(*)::int as left from outbound.suppressions where lifted_at is null`;
        const lifted = response.body.lifted ?? 0;
        assert.equal(row!.left, suppressed.length - lifted);
        assert.equal(lifted > 0, status === 200);
      }));
  }
});

Deno.test("DELETE …/contacts/suppressions says what evidence it needs", () =>
  withContacts(async (t) => {
    const at = minutesFromNow(-10);
    await suppress(t, { number: NUMBER, at });

    const { body } = await t.ask("DELETE", "suppressions", SCOPE);

    assert.match(
      body.message,
      /opted out \(keyword\) at .*: give method and consented_at of a later consent/,
    );
    assert.deepEqual(body.details, {
      field: "consented_at",
      reason: "later than the opt-out",
      opted_out_at: at,
      source: "keyword",
    });
  }));

Deno.test("a lifted suppression stays as evidence, under every address, and the person can opt out again", () =>
  withContacts(async (t) => {
    await insertWebhook(t.sql, t.company.id);
    await t.sql`select outbound.link_user_id(${t.company.id}, 'ES.1349', ${NUMBER}, null, now())`;
    await suppress(t, { user_id: "ES.1349" });

    const { body } = await t.ask("DELETE", "suppressions", { ...SCOPE, ...evidence(0), detail: "Form 3" });
    const rows = await t.sql`
      select address, lifted_by, lifted_evidence ->> 'detail' as detail from outbound.suppressions order by address`;
    await suppress(t, { number: NUMBER });

    assert.equal(body.lifted, 2);
    assert.deepEqual(rows.map((row) => Object.values(row)), [
      [NUMBER, "api", "Form 3"],
      ["ES.1349", "api", "Form 3"],
    ]);
    const types = (await readEvents(t.sql, t.company.id)).map(({ type }) => type);
    assert.deepEqual(types, ["contact.opted_out", "contact.opted_in", "contact.opted_out"]);
  }));

Deno.test("DELETE …/contacts/suppressions needs the person, the channel and the category", () =>
  withContacts(async ({ ask }) => {
    for (const field of ["number", "channel", "category"]) {
      const { status, body } = await ask("DELETE", "suppressions", { ...SCOPE, [field]: undefined });
      assert.deepEqual([status, body.details?.field], [400, field]);
    }
  }));

Deno.test("who opts out twice needs evidence from after the second time", () =>
  withContacts(async (t) => {
    await suppress(t, { number: NUMBER, at: minutesFromNow(-10) });
    await suppress(t, { number: NUMBER, at: minutesFromNow(-3), evidence: { text: "STOP" } });
    await suppress(t, { number: NUMBER, at: minutesFromNow(-20) });

    const between = await t.ask("DELETE", "suppressions", { ...SCOPE, ...evidence(-5) });
    const after = await t.ask("DELETE", "suppressions", { ...SCOPE, ...evidence(-1) });

    assert.deepEqual([between.status, after.status], [400, 200]);
    const [row] = await t.sql`select evidence ->> 'text' as text from outbound.suppressions`;
    assert.equal(row!.text, "STOP");
  }));

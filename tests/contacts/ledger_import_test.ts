import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { type Contacts, withContacts } from "./with_contacts.ts";

const NUMBER = "34600111222";

/** `POST …/{kind}/import` with these lines. */
function importLines(
  { http, company }: Contacts,
  kind: "suppressions" | "consents",
  lines: string[],
  query: Record<string, string> = {},
) {
  return http.request("POST", `/manage/companies/mine/contacts/${kind}/import`, undefined, {
    rawBody: lines.join("\r\n"),
    headers: { "content-type": "text/csv" },
    query: { access_key: company.key.key, ...query },
  });
}

async function suppressedAddresses({ sql, company }: Contacts): Promise<string[]> {
  const rows = await sql`
    select address, source from outbound.suppressions where company_id = ${company.id} order by address`;
  assert.ok(rows.every(({ source }) => source === "import" || source === "api"));
  return rows.map(({ address }) => address);
}

Deno.test("an import records lines, counts those that were there, and names those that do not fit", () =>
  withContacts(async (t) => {
    const lines = [
      "\ufeffNumber,channel,at,detail",
      `${NUMBER},any,2026-01-01T00:00:00Z,"He said ""no"", twice"`,
      "+34 600-111.333,,,",
      "",
      "123,any,,",
      `${NUMBER},sms,,`,
      '34600111444,any,,"two',
      'lines"',
      `${NUMBER},any,,`,
    ];

    const { body: checked } = await importLines(t, "suppressions", lines, { dry_run: "true" });
    const { body: first } = await importLines(t, "suppressions", lines);
    const { body: again } = await importLines(t, "suppressions", lines);

    assert.deepEqual([checked.added, checked.valid, checked.invalid], [null, 4, 2]);
    assert.deepEqual([first.added, first.already, first.invalid], [3, 1, 2]);
    assert.deepEqual([again.added, again.already], [0, 4]);
    const faults = first.errors.map(({ line, field }: JsonObject) => [line, field]);
    assert.deepEqual(faults, [[5, "number"], [6, "channel"]]);
    assert.deepEqual(await suppressedAddresses(t), [NUMBER, "34600111333", "34600111444"]);
  }));

Deno.test("an import of consents records a withdrawal as a suppression", () =>
  withContacts(async (t) => {
    const { body } = await importLines(t, "consents", [
      "user_id,channel,status,method,consented_at",
      "ES.1349,whatsapp,granted,website,2026-01-01T00:00:00+01:00",
      "ES.1350,whatsapp,withdrawn,call,2026-01-01T00:00:00Z",
    ]);

    assert.equal(body.added, 2);
    assert.deepEqual(await suppressedAddresses(t), ["ES.1350"]);
  }));

Deno.test("an import reads numbers by the senders' country, and names columns and lines that it does not use", () =>
  withContacts(async (t) => {
    await t.sql`update outbound.senders set number = '34600999111' where company_id = ${t.company.id}`;
    const lines = ["number,name", "600 200 000,Ana", "+44 (0)7911 123456,Bo", "34600111222.0,Eva", "1,2,3"];

    const { body: spanish } = await importLines(t, "suppressions", lines);
    const { body: british } = await importLines(t, "suppressions", lines, { country: "GB" });

    assert.deepEqual([spanish.country, spanish.added, spanish.unused_columns], ["ES", 1, ["name"]]);
    assert.deepEqual(spanish.errors.map(({ line, field, code }: JsonObject) => [line, field, code]), [
      [3, "number", "number_has_zero_in_brackets"],
      [4, "number", "number_has_decimals"],
      [5, "", "row_length"],
    ]);
    assert.deepEqual([british.country, british.added], ["GB", 0]);
    assert.deepEqual(await suppressedAddresses(t), ["34600200000"]);
  }));

const many = Array.from({ length: 1500 }, (_, row) => String(34_600_200_000 + row));

/** Files that are refused as a whole. */
const BAD_FILES: [name: string, lines: string[], message: RegExp][] = [
  ["no person", ["channel", "any"], /found neither number nor user_id/],
  ["an open quote", ["number", `"${NUMBER}`], /a quote is not closed/],
  ["an open quote behind a thousand people", ["number", ...many, '"34600'], /a quote is not closed/],
  ["no names of columns", [NUMBER, "34600111333"], /holds a phone number/],
  ["no lines", ["number"], /no rows/],
];

Deno.test("an import refuses a file that is no such list, and records no person of it", () =>
  withContacts(async (t) => {
    for (const [name, lines, message] of BAD_FILES) {
      const { status, body } = await importLines(t, "suppressions", lines);

      assert.deepEqual([status, body.error], [400, "validation_failed"], name);
      assert.match(JSON.stringify(body), message, name);
      assert.deepEqual(await suppressedAddresses(t), [], name);
    }
  }));

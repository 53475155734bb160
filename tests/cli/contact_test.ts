import assert from "node:assert/strict";
import { exportPerson } from "../../cli/contact/actions.ts";
import { importContacts } from "../../cli/contact/import_csv.ts";
import { createSealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertCompany, insertSender, TEST_SECRETS_KEY } from "../setup/fixtures/fixtures.ts";
import { runAdmin, runAdminProcess } from "./run_admin.ts";

const NUMBER = "34600111222";
const sealer = () => createSealer(TEST_SECRETS_KEY);

function csvOf(...lines: string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from([new TextEncoder().encode(lines.join("\r\n"))]);
}

/** Runs `contact` commands of a company. */
async function withCommands(
  fn: (contact: (...args: string[]) => ReturnType<typeof runAdmin>) => Promise<void>,
): Promise<void> {
  await withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    await fn((verb, ...args) =>
      runAdmin(["contact", verb!, "--company", id, ...args], { env: { DATABASE_URL: url } })
    );
  });
}

Deno.test("contact suppress, list and unsuppress record, show and lift what an operator says", () =>
  withCommands(async (contact) => {
    const person = ["--number", NUMBER];

    const added = await contact("suppress", ...person, "--detail", "By phone", "--json");
    const again = await contact("suppress", ...person, "--json");
    const list = await contact("list", "--json");
    const lifted = await contact("unsuppress", ...person, "--json");
    const none = await contact("unsuppress", ...person, "--json");

    assert.deepEqual([added.json, again.json], [{ added: true }, { added: false }]);
    const [row] = list.json.suppressions as Record<string, unknown>[];
    assert.deepEqual([row!.address, row!.source, row!.evidence], [NUMBER, "operator", {
      detail: "By phone",
    }]);
    assert.deepEqual(lifted.json, { lifted: 1, still_suppressed_by: [] });
    assert.equal((none.json.error as { code: string }).code, "not_found");
  }));

Deno.test("contact unsuppress lifts a person's own opt-out only with evidence, which contact consent may be", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const run = (verb: string, ...args: string[]) =>
      runAdmin(["contact", verb, "--company", id, "--number", NUMBER, ...args], {
        env: { DATABASE_URL: url },
      });
    await sql`select outbound.suppress_contacts(${id}, ${
      sql.json([{
        number: NUMBER,
        channel: "any",
        category: "marketing",
        source: "keyword",
        at: "2026-01-01T00:00Z",
      }])
    })`;

    const without = await run("unsuppress");
    const evidence = ["--method", "paper", "--consented-at", "2026-01-02T00:00Z"];
    const consent = await run("consent", ...evidence, "--json");

    assert.equal(without.code, 1);
    assert.match(without.stderr, /opted out \(keyword\).* give method and consented_at of a later consent/);
    assert.deepEqual(consent.json, { added: true, still_suppressed_by: [] });
    assert.match((await run("list")).stdout, /No suppressions/);
    assert.match((await run("list", "--kind", "consents")).stdout, /granted +paper/);
  }));

Deno.test("contact export prints what is known, and contact erase needs --yes", () =>
  withCommands(async (contact) => {
    const person = ["--number", NUMBER];
    await contact("suppress", ...person);

    const exported = await contact("export", ...person);
    const refused = await contact("erase", ...person);
    const erased = await contact("erase", ...person, "--yes", "--json");
    const after = await contact("export", ...person, "--json");

    assert.equal(JSON.parse(exported.stdout).suppressions.length, 1);
    assert.match(refused.stderr, /add --yes/);
    assert.equal((erased.json.erased as Record<string, number>).suppressions, 1);
    assert.deepEqual(after.json.suppressions, []);
  }));

Deno.test("exportPerson() is in the company's audit, without the person", () =>
  withTestDatabase(async ({ sql }) => {
    const { id } = await insertCompany(sql);

    await exportPerson({ sql, mediaStore: null }, { company: id, number: NUMBER });

    const entries = await sql`select actor, action, subject, before, after from outbound.audit_log`;
    const nothing = { subject: null, before: null, after: null };
    assert.deepEqual([...entries], [{ actor: "cli", action: "contact.exported", ...nothing }]);
  }));

Deno.test("importContacts() records lines, counts those that were there, and names those that do not fit", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
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
    const request = { companyId, kind: "suppressions" as const };

    const checked = await importContacts({ sql, sealer }, { ...request, csv: csvOf(...lines), dryRun: true });
    const first = await importContacts({ sql, sealer }, { ...request, csv: csvOf(...lines), dryRun: false });
    const again = await importContacts({ sql, sealer }, { ...request, csv: csvOf(...lines), dryRun: false });

    assert.deepEqual([checked.added, checked.valid, checked.invalid], [null, 4, 2]);
    assert.deepEqual([first.added, first.already, first.invalid], [3, 1, 2]);
    assert.deepEqual([again.added, again.already], [0, 4]);
    assert.deepEqual(first.errors.map(({ line, field }) => [line, field]), [[5, "number"], [6, "channel"]]);
    const rows = await sql`select address, source from outbound.suppressions order by address`;
    assert.deepEqual(rows.map(({ address }) => address), [NUMBER, "34600111333", "34600111444"]);
    assert.ok(rows.every(({ source }) => source === "import"));
  }));

Deno.test("importContacts() records consents", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    const csv = csvOf(
      "user_id,channel,status,method,consented_at",
      "ES.1349,whatsapp,granted,website,2026-01-01T00:00:00+01:00",
      "ES.1350,whatsapp,withdrawn,call,2026-01-01T00:00:00Z",
    );

    const { added } = await importContacts({ sql, sealer }, {
      companyId,
      kind: "consents",
      csv,
      dryRun: false,
    });

    assert.equal(added, 2);
    const [row] = await sql`select address from outbound.suppressions`;
    assert.equal(row!.address, "ES.1350");
  }));

Deno.test("importContacts() reads numbers by the senders' country, and names columns and lines that it does not use", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    await insertSender(sql, companyId, { number: "34600999111" });
    const csv = () =>
      csvOf("number,name", "600 200 000,Ana", "+44 (0)7911 123456,Bo", "34600111222.0,Eva", "1,2,3");
    const request = { companyId, kind: "suppressions" as const, dryRun: false };

    const { country, added, errors, unused_columns } = await importContacts({ sql, sealer }, {
      ...request,
      csv: csv(),
    });
    const british = await importContacts({ sql, sealer }, { ...request, csv: csv(), country: "GB" });

    assert.deepEqual([country, added, unused_columns], ["ES", 1, ["name"]]);
    assert.deepEqual(errors.map(({ line, field, code }) => [line, field, code]), [
      [3, "number", "number_has_zero_in_brackets"],
      [4, "number", "number_has_decimals"],
      [5, "", "row_length"],
    ]);
    assert.deepEqual([british.country, british.added], ["GB", 0]);
    const rows = await sql`select address from outbound.suppressions`;
    assert.deepEqual(rows.map(({ address }) => address), ["34600200000"]);
  }));

function many(count: number): string[] {
  return Array.from({ length: count }, (_, row) => String(34_600_200_000 + row));
}

/** Files that are refused as a whole. */
const BAD_FILES: [name: string, lines: string[], message: RegExp][] = [
  ["no person", ["channel", "any"], /found neither number nor user_id/],
  ["an open quote", ["number", `"${NUMBER}`], /a quote is not closed/],
  ["an open quote behind a thousand people", ["number", ...many(1500), '"34600'], /a quote is not closed/],
  ["no names of columns", [NUMBER, "34600111333"], /holds a phone number/],
  ["no lines", ["number"], /no rows/],
];

Deno.test("importContacts() refuses a file that is no such list", async (test) => {
  for (const [name, lines, message] of BAD_FILES) {
    await test.step(name, () =>
      withTestDatabase(async ({ sql }) => {
        const { id: companyId } = await insertCompany(sql);
        const request = { companyId, kind: "suppressions" as const, csv: csvOf(...lines), dryRun: false };

        await assert.rejects(importContacts({ sql, sealer }, request), { code: "bad_value", message });
        assert.equal((await sql`select 1 from outbound.suppressions`).length, 0);
      }));
  }
});

Deno.test("contact import reads standard input and ends with 1 where lines do not fit", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const run = (stdin: string, ...args: string[]) =>
      runAdminProcess(["contact", "import", "-", "--company", id, ...args], {
        env: { DATABASE_URL: url },
        stdin,
      });

    const good = await run(`number\n${NUMBER}\n`, "--json");
    const bad = await run("number\n1\n");

    assert.deepEqual([good.code, good.json.added, good.json.errors], [0, 1, []]);
    assert.equal(bad.code, 1);
    assert.match(bad.stdout, /0 added, 0 already there, 1 invalid/);
    assert.match(bad.stdout, /^ +2 +number +No phone number/m);
    assert.match(bad.stderr, /1 lines do not fit/);
  }));

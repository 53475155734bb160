import assert from "node:assert/strict";
import { withPeople } from "./with_people.ts";

const FILE = [
  "Teléfono;Nombre;Ciudad;Etiquetas;Puntos",
  "+34 600 111 222;Ana Ruiz;Madrid;vip, new;12",
  "34600111223;Luis;Toledo;;x",
  "600;Eva;;;",
  "34600111224;;;;7",
].join("\n");
const SPAIN = { country: "ES" };
const COLUMNS = JSON.stringify({ Ciudad: "attribute.city", Puntos: "attribute.points" });

Deno.test("a file of people becomes contacts, once, and its columns are remembered", () =>
  withPeople(async ({ importCsv, manage, namesOf }) => {
    await manage("PUT", "contacts/attributes", { attributes: [{ name: "points", type: "number" }] });

    const dry = await importCsv(FILE, { ...SPAIN, columns: COLUMNS, dry_run: "true" });
    assert.deepEqual([dry.status, dry.body.valid, dry.body.invalid, dry.body.created], [200, 2, 2, null]);
    assert.deepEqual(await namesOf({}), []);
    const first = await importCsv(FILE, { ...SPAIN, columns: COLUMNS });
    const again = await importCsv(FILE, SPAIN);

    const { errors, columns, ...counts } = first.body;
    assert.deepEqual(counts, { dry_run: false, valid: 2, invalid: 2, created: 2, changed: 0, country: "ES" });
    assert.deepEqual(errors.map(({ line, field }: { line: number; field: string }) => [line, field]), [
      ...[[4, "number"], [3, "attributes.points"]],
    ]);
    assert.deepEqual(columns, {
      ...{ "Teléfono": "number", "Nombre": "name", "Ciudad": "attribute.city" },
      ...{ "Etiquetas": "tags", "Puntos": "attribute.points" },
    });
    assert.deepEqual(again.body, { ...first.body, created: 0 });
    const { body: { contacts: [ana] } } = await manage("GET", "contacts", undefined, { search: "ruiz" });
    assert.deepEqual([ana.tags, ana.attributes, ana.source], [
      ["new", "vip"],
      { city: "Madrid", points: 12 },
      "import",
    ]);
  }));

Deno.test("a file overwrites what contacts have, or only fills what they lack", () =>
  withPeople(async ({ importCsv, make, namesOf }) => {
    await make("34600111222", { name: "Ana" });

    const filled = await importCsv("number,name\n34600111222,Other\n", { overwrite: "false" });
    assert.deepEqual([filled.body.created, filled.body.changed, await namesOf({})], [0, 0, ["Ana"]]);
    const changed = await importCsv("number,name,email\n34600111222,Other,a@b.test\n");
    assert.deepEqual([changed.body.created, changed.body.changed, await namesOf({})], [0, 1, ["Other"]]);
  }));

Deno.test("people who share an e-mail address stay two contacts", () =>
  withPeople(async ({ importCsv, namesOf }) => {
    await importCsv("number,name,email\n34600111222,Ana,us@home.test\n34600111223,Luis,us@home.test\n");
    await importCsv("email,name\nus@home.test,Ana Ruiz\n");

    assert.deepEqual((await namesOf({})).toSorted(), ["Ana Ruiz", "Luis"]);
  }));

Deno.test("a file of JSON objects brings values of its types", () =>
  withPeople(async ({ http, company, manage }) => {
    const lines = [
      { phone: "34600111222", points: 3, vip: true },
      { phone: "34600111223", points: "x" },
      "no object",
    ];
    const columns = { points: "attribute.points", vip: "attribute.vip" };
    const { status, body } = await http.request("POST", "/manage/companies/mine/contacts/import", undefined, {
      rawBody: lines.map((line) => JSON.stringify(line)).join("\n"),
      headers: { "content-type": "application/x-ndjson" },
      query: { access_key: company.key.key, columns: JSON.stringify(columns) },
    });

    assert.deepEqual([status, body.created, body.invalid], [200, 1, 2]);
    const { body: { contacts: [ana] } } = await manage("GET", "contacts");
    assert.deepEqual(ana.attributes, { points: 3, vip: true });
  }));

Deno.test("a file that cannot be read, or columns that are none, are refused whole", () =>
  withPeople(async ({ importCsv, namesOf }) => {
    for (
      const [csv, query] of [
        ["", {}],
        ['number,name\n34600111222,"Ana\n34600111223,Luis\n', {}],
        ["number\n34600111222\n", { columns: "{" }],
        ["number\n34600111222\n", { columns: '{"number": "phone"}' }],
        ["number\n34600111222\n", { country: "XX" }],
      ] as const
    ) {
      const { status } = await importCsv(csv, query as Record<string, string>);
      assert.equal(status, 400, csv);
    }
    assert.deepEqual(await namesOf({}), []);
  }));

import assert from "node:assert/strict";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertKnownPerson, NUMBER as KNOWN } from "../known_person.ts";
import { anotherCompany, withPeople } from "./with_people.ts";

const NUMBER = "34600111222";

Deno.test("a contact is made, shown, changed and deleted, and the audit names no person", () =>
  withPeople(async ({ make, manage, sql }) => {
    const made = await make(NUMBER, {
      ...{ name: " Ana Ruiz ", language: "es", timezone: "Europe/Madrid", country: "ES" },
      ...{
        attributes: { city: "Madrid", points: 12, since: "2024-02-29", vip: true },
        tags: ["new", "vip", "new"],
      },
    });
    assert.deepEqual([made.name, made.tags, made.source], ["Ana Ruiz", ["new", "vip"], "api"]);
    assert.deepEqual(made.attributes, { city: "Madrid", points: 12, since: "2024-02-29", vip: true });

    const path = `contacts/${made.contact_id}`;
    const shown = await manage("GET", path);
    assert.deepEqual(shown.body, made);
    const changes = {
      ...{ name: null, attributes: { city: null, points: 13 }, tags: [] },
      addresses: [{ kind: "email", address: "Ana@Acme.test" }],
    };
    const stale = await manage("PUT", path, changes, {}, { "if-match": '"0"' });
    assert.equal(stale.status, 412);
    const changed = await manage("PUT", path, changes, {}, { "if-match": shown.headers.get("etag")! });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const { name, language, attributes, tags, addresses } = changed.body;
    assert.deepEqual([name, language, tags], [null, "es", []]);
    assert.deepEqual(attributes, { points: 13, since: "2024-02-29", vip: true });
    assert.deepEqual(addresses, [{ kind: "email", address: "ana@acme.test" }]);
    assert.equal((await manage("PUT", path, changes)).status, 200);
    assert.equal((await manage("DELETE", path)).status, 200);
    for (const method of ["GET", "DELETE"]) assert.equal((await manage(method, path)).status, 404);

    const audit = await sql`select action, subject, after, audit_log::text as text from outbound.audit_log
      where subject is not null order by at, id`;
    assert.deepEqual(audit.map(({ action }) => action), [
      "contact.created",
      "contact.updated",
      "contact.removed",
    ]);
    assert.deepEqual(audit[1]!.after, { fields: ["name", "tags", "attributes", "addresses"] });
    assert.ok(audit.every(({ subject, text }) => subject === made.contact_id && !text.includes("Madrid")));
  }));

Deno.test("an address belongs to one contact of a company, whatever alias it is written in", () =>
  withPeople(async (t) => {
    const { make, manage, sql, company } = t;
    const ana = await make("5215512345678", { name: "Ana" });
    await sql`insert into outbound.number_aliases (company_id, number, platform_number)
      values (${company.id}, '5215512345678', '525512345678')`;

    const again = await manage("POST", "contacts", {
      addresses: [{ kind: "number", address: "525512345678" }],
    });

    assert.deepEqual([again.status, again.body.error, again.body.details.contact_id], [
      ...[409, "contact_exists", ana.contact_id],
    ]);
    const other = await anotherCompany(t);
    assert.notEqual((await other.make("525512345678")).contact_id, ana.contact_id);
    const luis = await make("34600111223");
    const body = { addresses: [{ kind: "number", address: "525512345678" }] };
    assert.equal((await manage("PUT", `contacts/${luis.contact_id}`, body)).status, 409);
  }));

Deno.test("a search finds parts of names and addresses, in any spelling, of this company alone", () =>
  withPeople(async (t) => {
    const { make, namesOf, manage } = t;
    await make("33612345678", { name: "José Núñez" });
    await make("390612345", { name: "Giulia" });
    await make("4915112345699", {
      name: "Frank-Walter Müller",
      addresses: [{ kind: "number", address: "4915112345699" }, {
        kind: "email",
        address: "frank@shop.example",
      }],
    });
    const other = await anotherCompany(t);
    await other.make("33612345678", { name: "José of another company" });

    for (
      const [search, ...names] of [
        ["nune", "José Núñez"],
        ["JOSE NU", "José Núñez"],
        ["se  nú", "José Núñez"],
        ["+33 6 12 34", "José Núñez"],
        ["0033612", "José Núñez"],
        ["06 12 34 56 78", "José Núñez"],
        ["06 12345", "Giulia", "José Núñez"],
        ["2345", "Frank-Walter Müller", "Giulia", "José Núñez"],
        ["muller", "Frank-Walter Müller"],
        ["walter m", "Frank-Walter Müller"],
        ["@shop.ex", "Frank-Walter Müller"],
        ["zacharias"],
        ["ñez jos"],
      ]
    ) {
      assert.deepEqual((await namesOf({ search: search! })).toSorted(), names, search);
    }
    for (const search of ["", "jo", " 1 ", "+33", "0034", "%%"]) {
      const { status, body } = await manage("GET", "contacts", undefined, { search });
      assert.deepEqual([status, body.details?.field], [400, "search"], search);
    }
  }));

Deno.test("the list is newest first and has pages, also of a tag and of a search", () =>
  withPeople(async ({ importCsv, manage, sql, company }) => {
    const lines = Array.from(
      { length: 25 },
      (_, index) => `3460000${1000 + index},Person ${index},${index % 5 ? "" : "fifth"}`,
    );
    assert.equal((await importCsv(["number,name,tags", ...lines].join("\n"))).body.created, 25);
    await sql`update outbound.contacts set first_seen_at = first_seen_at - make_interval(secs => split_part(name, ' ', 2)::int)
      where company_id = ${company.id}`;
    const all = async (query: Record<string, string>) => {
      const names: string[] = [];
      for (let after: string | null = ""; after !== null;) {
        const { body }: { body: JsonObject } = await manage("GET", "contacts", undefined, {
          ...{ limit: "4", ...query },
          ...(after && { after }),
        });
        names.push(...body.contacts.map(({ name }: JsonObject) => name));
        after = body.next;
      }
      return names;
    };
    const expected = Array.from({ length: 25 }, (_, index) => `Person ${index}`);

    assert.deepEqual(await all({}), expected);
    assert.deepEqual(await all({ search: "person" }), expected);
    assert.deepEqual(await all({ tag: "fifth" }), expected.filter((_, index) => index % 5 === 0));
    assert.deepEqual(await all({ tag: "fifth", search: "person 1" }), ["Person 10", "Person 15"]);
    assert.deepEqual(await all({ tag: "none" }), []);
  }));

Deno.test("a list with a condition narrows contacts down, in pages that may be short before the end", () =>
  withPeople(async ({ make, manage, namesOf, sql, company }) => {
    const condition = {
      any: [{ field: "name", op: "is", value: "Ana" }, { field: "tag", op: "is", value: "old" }],
    };
    const { body: { list_id } } = await manage("POST", "lists", { name: "Condition", condition });
    await make(NUMBER, { name: "Ana" });
    await make("34600111223", { name: "Anabel" });
    await sql`
      insert into outbound.contacts (company_id, id, name, tags, source, first_seen_at)
      select ${company.id}, gen_random_uuid(), 'Person ' || n, case when n > 2100 then '{old}'::text[] else '{}' end, 'api',
        now() - make_interval(mins => n)
      from generate_series(1, 2102) as n`;

    const pages: string[][] = [];
    for (let after: string | null = ""; after !== null;) {
      const { body }: { body: JsonObject } = await manage("GET", "contacts", undefined, {
        ...{ list_id, limit: "2" },
        ...(after && { after }),
      });
      pages.push(body.contacts.map(({ name }: JsonObject) => name));
      after = body.next;
    }

    assert.deepEqual(pages, [["Ana"], ["Person 2101", "Person 2102"], []]);
    assert.deepEqual(await namesOf({ list_id, search: "person 21" }), ["Person 2101", "Person 2102"]);
    assert.deepEqual(await namesOf({ list_id, tag: "old" }), ["Person 2101", "Person 2102"]);
    assert.deepEqual(await namesOf({ list_id: crypto.randomUUID() }), []);
    const gone = { field: "list", op: "is", value: crypto.randomUUID() };
    await sql`update outbound.contact_lists set condition = ${sql.json(gone)}`;
    assert.equal((await manage("GET", "contacts", undefined, { list_id })).status, 400);
  }));

Deno.test("the tags of a company are listed with how many have each, whatever changed them", () =>
  withPeople(async (t) => {
    const { make, manage, importCsv, sql, company } = t;
    const list = async (query: Record<string, string> = {}) => {
      const { status, body } = await manage("GET", "contacts/tags", undefined, query);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    const countsOf = async () =>
      Object.fromEntries(
        (await list()).tags.map(({ tag, contacts }: JsonObject) => [tag, contacts]),
      );
    assert.deepEqual(await list(), { tags: [], next: null });
    const ana = await make(NUMBER, { tags: ["vip", "new"] });
    const luis = await make("34600111223", { tags: ["vip"] });
    await importCsv('number,tags\n34600111224,"vip,Zoo"\n34600111225,"new"');
    await (await anotherCompany(t)).make(NUMBER, { tags: ["vip"] });
    assert.deepEqual(await countsOf(), { Zoo: 1, new: 2, vip: 3 });

    const first = await list({ limit: "2" });
    const second = await list({ limit: "2", after: first.next });
    assert.deepEqual([...first.tags, ...second.tags].map(({ tag }: JsonObject) => tag), [
      "Zoo",
      "new",
      "vip",
    ]);
    assert.equal(second.next, null);

    await manage("POST", "contacts/tags", {
      contact_ids: [ana.contact_id, luis.contact_id],
      add: ["a"],
      remove: ["new", "none"],
    });
    assert.deepEqual(await countsOf(), { Zoo: 1, a: 2, new: 1, vip: 3 });
    await manage("PUT", `contacts/${luis.contact_id}`, { tags: ["b"] });
    assert.deepEqual(await countsOf(), { Zoo: 1, a: 1, b: 1, new: 1, vip: 2 });
    await manage("POST", `contacts/${ana.contact_id}/merge`, { contact_id: luis.contact_id });
    assert.deepEqual(await countsOf(), { Zoo: 1, a: 1, b: 1, new: 1, vip: 2 });
    await manage("DELETE", `contacts/${ana.contact_id}`);
    assert.deepEqual(await countsOf(), { Zoo: 1, new: 1, vip: 1 });
    await t.ask("POST", "erase", { number: "34600111224" });
    assert.deepEqual(await countsOf(), { new: 1 });
    const rows = await sql`select from outbound.contact_tags where company_id = ${company.id}`;
    assert.equal(rows.length, 1);
  }));

Deno.test("contacts leave as a file, with the filters of the list, no formulas, and an audit row", () =>
  withPeople(async ({ make, manage, importCsv, sql, company }) => {
    const ana = await make(NUMBER, {
      name: "=1+1",
      language: "es",
      tags: ["new", "vip"],
      attributes: { city: 'Madrid, "centre"', points: -3, vip: true },
      addresses: [{ kind: "number", address: NUMBER }, { kind: "number", address: "34600111229" }, {
        kind: "email",
        address: "ana@acme.test",
      }],
    });
    const lines = Array.from({ length: 1101 }, (_, index) => `346001${10_000 + index},Many ${index},many`);
    await importCsv(["number,name,tags", ...lines].join("\n"));
    const read = async (query: Record<string, string> = {}) => {
      const { status, body, headers } = await manage("GET", "contacts/csv", undefined, query);
      assert.equal(status, 200, JSON.stringify(body));
      assert.match(headers.get("content-disposition")!, /contacts\.csv/);
      return (body as unknown as string).trimEnd().split("\r\n");
    };

    assert.equal((await read()).length, 1103);

    const [header, row, ...others] = await read({ tag: "vip" });
    assert.equal(
      header,
      "name,number,user_id,email,visitor,other_addresses,language,timezone,country,tags,opted_out,consent,source," +
        "first_seen_at,last_seen_at,contact_id,attribute.city,attribute.points,attribute.vip",
    );
    assert.match(
      row!,
      /^'=1\+1,34600111222,,ana@acme\.test,,34600111229,es,,,"new,vip",,,api,20\d\d-\S+Z,20\d\d-\S+Z,/,
    );
    assert.ok(row!.endsWith(`,${ana.contact_id},"Madrid, ""centre""",-3,true`), row);
    assert.deepEqual(others, []);
    assert.equal((await read({ tag: "many" })).length, 1102);
    assert.equal((await read({ search: "many 11" })).length, 1 + 1 + 1 + 10);
    assert.equal((await read({ opted_out: "true" })).length, 1);
    assert.equal((await manage("GET", "contacts/csv", undefined, { search: "m" })).status, 400);
    const audit = await sql`select from outbound.audit_log
      where company_id = ${company.id} and action = 'contacts.exported'`;
    assert.equal(audit.length, 5);
  }));

Deno.test("a merge moves addresses, tags and places in lists, and fills what is missing", () =>
  withPeople(async ({ make, manage, sql, company }) => {
    const ana = await make(NUMBER, { name: "Ana", attributes: { city: "Madrid" }, tags: ["vip"] });
    const twin = await make("34600111223", {
      name: "A. Ruiz",
      language: "es",
      attributes: { city: "Toledo", points: 1 },
      tags: ["new"],
    });
    const list = crypto.randomUUID();
    await sql`insert into outbound.contact_lists (company_id, id, name, created_by) values (${company.id}, ${list}, 'L', 'x')`;
    for (const { contact_id } of [ana, twin]) {
      await sql`insert into outbound.contact_list_members (company_id, list_id, contact_id)
        values (${company.id}, ${list}, ${contact_id})`;
    }

    const merged = await manage("POST", `contacts/${ana.contact_id}/merge`, { contact_id: twin.contact_id });

    assert.equal(merged.status, 200, JSON.stringify(merged.body));
    const { name, language, attributes, tags, addresses } = merged.body;
    assert.deepEqual([name, language, tags], ["Ana", "es", ["new", "vip"]]);
    assert.deepEqual(attributes, { city: "Madrid", points: 1 });
    assert.deepEqual(addresses.map(({ address }: JsonObject) => address), [NUMBER, "34600111223"]);
    assert.equal((await manage("GET", `contacts/${twin.contact_id}`)).status, 404);
    assert.deepEqual((await manage("GET", "contacts", undefined, { list_id: list })).body.contacts.length, 1);
    for (const id of [twin.contact_id, ana.contact_id]) {
      const again = await manage("POST", `contacts/${ana.contact_id}/merge`, { contact_id: id });
      assert.equal(again.status, id === ana.contact_id ? 400 : 404);
    }
  }));

Deno.test("many contacts are tagged by their ids, or as the members of a list", () =>
  withPeople(async ({ make, manage, sql, company }) => {
    const [ana, luis] = [await make(NUMBER, { tags: ["new"] }), await make("34600111223")];
    const ids = [ana.contact_id, luis.contact_id, crypto.randomUUID()];
    const list = crypto.randomUUID();
    await sql`insert into outbound.contact_lists (company_id, id, name, created_by) values (${company.id}, ${list}, 'L', 'x')`;
    await sql`insert into outbound.contact_list_members (company_id, list_id, contact_id)
      values (${company.id}, ${list}, ${luis.contact_id})`;

    const tag = async (body: JsonObject) => (await manage("POST", "contacts/tags", body)).body;
    assert.deepEqual(await tag({ contact_ids: ids, add: ["vip"], remove: ["new"] }), { changed: 2 });
    assert.deepEqual(await tag({ contact_ids: ids, add: ["vip"], remove: ["new"] }), { changed: 0 });
    assert.deepEqual(await tag({ list_id: list, remove: ["vip"], add: ["gone"] }), { changed: 1 });

    const tagsOf = async ({ contact_id }: JsonObject) =>
      (await manage("GET", `contacts/${contact_id}`)).body.tags;
    assert.deepEqual([await tagsOf(ana), await tagsOf(luis)], [["vip"], ["gone"]]);
    for (
      const body of [{ add: ["x"] }, { contact_ids: ids, list_id: list, add: ["x"] }, { contact_ids: ids }]
    ) {
      assert.equal((await manage("POST", "contacts/tags", body)).status, 400);
    }
  }));

Deno.test("an attribute keeps its type, and a value of another type is a 400 that names it", () =>
  withPeople(async ({ make, manage }) => {
    const wanted = [{ name: "born", type: "date" }, { name: "points", type: "number" }];
    assert.deepEqual(
      (await manage("PUT", "contacts/attributes", { attributes: wanted })).body.attributes,
      wanted,
    );
    const other = await manage("PUT", "contacts/attributes", {
      attributes: [{ name: "born", type: "text" }],
    });
    assert.deepEqual([other.status, other.body.details.field], [400, "attributes.born"]);
    const ana = await make(NUMBER, { attributes: { born: "2000-02-29", points: "12", city: "Madrid" } });
    assert.deepEqual(ana.attributes, { born: "2000-02-29", points: 12, city: "Madrid" });

    for (const [name, value] of [["born", "2001-02-29"], ["born", 5], ["points", "many"]] as const) {
      const { status, body } = await manage("PUT", `contacts/${ana.contact_id}`, {
        attributes: { [name]: value },
      });
      assert.deepEqual([status, body.details.field], [400, `attributes.${name}`]);
    }
    const { body } = await manage("GET", "contacts/attributes");
    assert.deepEqual(body.attributes, [wanted[0], { name: "city", type: "text" }, wanted[1]]);
  }));

Deno.test("findPerson shows the contact, and a person of another company is not found", () =>
  withPeople(async (t) => {
    const ana = await t.make(NUMBER, { name: "Ana" });

    const person = await t.manage("GET", "contacts/person", undefined, { number: NUMBER });
    const other = await anotherCompany(t);
    const foreign = await other.manage("GET", "contacts/person", undefined, { number: NUMBER });

    assert.deepEqual(person.body.contact, ana);
    assert.equal(foreign.body.contact, null);
    const own = `contacts/${ana.contact_id}`;
    assert.equal((await other.manage("GET", own)).status, 404);
    assert.equal((await other.manage("PUT", own, { name: "X" })).status, 404);
    assert.equal((await other.manage("DELETE", own)).status, 404);
    assert.equal((await other.manage("GET", `${own}/timeline`)).status, 404);
    const tagged = await other.manage("POST", "contacts/tags", { contact_ids: [ana.contact_id], add: ["x"] });
    assert.deepEqual(tagged.body, { changed: 0 });
    const luis = await other.make("34600111223");
    const merge = { contact_id: ana.contact_id };
    assert.equal((await other.manage("POST", `contacts/${luis.contact_id}/merge`, merge)).status, 404);
    assert.deepEqual(await other.namesOf({ search: "ana" }), []);
  }));

Deno.test("the list shows who opted out and who agreed, and finds them; a list with a condition filters as one with members", () =>
  withPeople(async (t) => {
    const { make, manage, namesOf, sql, company } = t;
    const ana = await make(NUMBER, { name: "Ana", tags: ["vip"] });
    await make("34600111223", { name: "Luis", tags: ["vip"] });
    await make("34600111224", { name: "Eva" });
    await sql`select outbound.link_user_id(${company.id}, 'ES.1349aBc', ${NUMBER}, null, now())`;
    await t.ask("POST", "suppressions", { suppressions: [{ number: NUMBER }] });
    const consent = { number: "34600111223", channel: "whatsapp", method: "paper" };
    await t.ask("POST", "consents", {
      consents: [
        { ...consent, status: "granted", consented_at: "2026-01-01T09:00:00Z" },
        { ...consent, status: "withdrawn", consented_at: "2026-01-02T09:00:00Z" },
        { ...consent, number: "34600111224", status: "granted", consented_at: "2026-01-02T09:00:00Z" },
      ],
    });
    const condition = { field: "tag", op: "is", value: "vip" };
    const byTag = (await manage("POST", "lists", { name: "Tagged", condition })).body.list_id;
    const byHand = (await manage("POST", "lists", { name: "Chosen" })).body.list_id;
    await manage("POST", `lists/${byHand}/members`, { contact_ids: [ana.contact_id] });

    const { contacts } = (await manage("GET", "contacts")).body;
    const standing = contacts.map((
      each: JsonObject,
    ) => [each.name, each.opted_out, each.consent, each.list_ids]);

    assert.deepEqual(standing, [
      ["Eva", null, "granted", []],
      ["Luis", "marketing", "withdrawn", []],
      ["Ana", "marketing", null, [byHand]],
    ]);
    assert.deepEqual(await namesOf({ opted_out: "true" }), ["Luis", "Ana"]);
    assert.deepEqual(await namesOf({ opted_out: "false" }), ["Eva"]);
    assert.deepEqual(await namesOf({ consent: "granted" }), ["Eva"]);
    assert.deepEqual(await namesOf({ consent: "withdrawn", search: "luis" }), ["Luis"]);
    assert.deepEqual(await namesOf({ list_id: byTag }), ["Luis", "Ana"]);
    assert.deepEqual(await namesOf({ list_id: byTag, search: "600 111 222" }), ["Ana"]);
    assert.deepEqual(await namesOf({ list_id: byTag, limit: "1" }), ["Luis"]);
    assert.deepEqual(await namesOf({ list_id: byHand, opted_out: "true" }), ["Ana"]);
  }));

Deno.test("a person is found by a number in any spelling, and the response says how it was read", () =>
  withPeople(async ({ make, manage }) => {
    await make("34611000031", { name: "Ana" });
    const read = async (query: Record<string, string>) =>
      (await manage("GET", "contacts/person", undefined, query)).body;

    const national = await read({ phone: "611 000 031", country: "ES" });
    const foreign = await read({ phone: "+351 912 345 678", country: "ES" });
    const refused = await read({ phone: "12" });

    assert.deepEqual([national.contact.name, national.read_number], ["Ana", {
      number: "34611000031",
      country: "ES",
    }]);
    assert.deepEqual([foreign.contact, foreign.read_number], [null, {
      number: "351912345678",
      country: "PT",
    }]);
    assert.deepEqual([refused.error, refused.details.code], ["validation_failed", "number_is_invalid"]);
  }));

Deno.test("what a person was sent and wrote is listed under every number of the contact", () =>
  withPeople(async (t) => {
    await insertKnownPerson(t);
    const second = "34600999888";
    const { body: { contact } } = await t.manage("GET", "contacts/person", undefined, { number: KNOWN });
    const addresses = [...contact.addresses, { kind: "number", address: second }];
    await t.manage("PUT", `contacts/${contact.contact_id}`, { addresses });

    for (const number of [KNOWN, second]) {
      const { body: sent } = await t.manage("GET", "contacts/notifications", undefined, { number });
      const { body: written } = await t.manage("GET", "contacts/replies", undefined, { number });

      assert.deepEqual([sent.notifications.length, written.replies.length], [1, 2], number);
    }
  }));

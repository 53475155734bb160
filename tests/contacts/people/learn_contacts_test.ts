import assert from "node:assert/strict";
import type postgres from "postgres";
import { learnNamedPeople } from "../../../supabase/functions/_shared/people/learn_named_people.ts";
import { learnContacts, readContacts } from "../../../supabase/functions/_shared/db/people/contacts.ts";
import type { Person } from "../../../supabase/functions/_shared/people/person.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { insertTemplate, ORDER_COMPONENTS } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { ANA, receive } from "../../webhooks/inbound.ts";
import { type People, withPeople } from "./with_people.ts";

const number = (address: string) => ({ kind: "number" as const, address });
const email = (address: string) => ({ kind: "email" as const, address });
const userId = (address: string) => ({ kind: "user_id" as const, address });
const visitor = (address: string) => ({ kind: "visitor" as const, address });

async function learn(
  { sql, company }: People,
  people: Person[],
  source: "send" | "visitor" | "import" = "import",
) {
  return await learnContacts(sql, company.id, people, source);
}

Deno.test("learnContacts() finds a person by any address, alias or linked user id, and makes the others", () =>
  withPeople(async (t) => {
    const { sql, company } = t;
    await sql`insert into outbound.number_aliases (company_id, number, platform_number)
      values (${company.id}, '591971000100', '59171000100')`;
    await sql`select outbound.link_user_id(${company.id}, 'ES.1', '59171000100', null, now())`;

    const learned = await learn(t, [
      { addresses: [number("59171000100")], name: "Ana" },
      { addresses: [number("591971000100")], name: "Other", language: "es" },
      { addresses: [userId("ES.1")], tags: ["b", "a"] },
      { addresses: [number("34600111222"), email("a@b.test")] },
      { addresses: [email("a@b.test")], name: "Luis" },
    ]);

    const [ana, alias, linked, luis, mail] = learned.map(({ contact_id }) => contact_id);
    assert.deepEqual([alias, linked, mail], [ana, ana, luis]);
    assert.deepEqual(learned.map(({ created, changed }) => [created, changed]), [
      ...[[true, true], [false, true], [false, true], [true, true], [false, true]],
    ]);
    const rows = await readContacts(sql, company.id, [ana!, luis!]);
    assert.deepEqual(rows.map(({ name, language, tags }) => [name, language, tags]), [
      ["Ana", "es", ["a", "b"]],
      ["Luis", null, []],
    ]);
  }));

Deno.test("learnContacts() fills what is missing, overwrites only on request, and reports what is new", () =>
  withPeople(async (t) => {
    const addresses = [number("34600111222")];
    const person = { addresses, name: "Ana", attributes: { city: "Madrid", points: 1 } };
    const [learned] = await learn(t, [person]);

    const outcomes = [];
    for (const overwrite of [false, false, true, true]) {
      const change = {
        addresses,
        name: "Other",
        attributes: { city: "Toledo", points: "no number", zip: "1" },
        overwrite,
      };
      outcomes.push((await learn(t, [change]))[0]!.changed);
    }

    assert.deepEqual(outcomes, [true, false, true, false]);
    const [row] = await readContacts(t.sql, t.company.id, [learned!.contact_id!]);
    assert.deepEqual([row!.name, row!.attributes], ["Other", { city: "Toledo", points: 1, zip: "1" }]);
  }));

Deno.test("learnContacts() keeps two contacts apart, unless the website has signed that they are one", () =>
  withPeople(async (t) => {
    await learn(t, [{ addresses: [number("34600111222")], name: "Ana" }, { addresses: [email("a@b.test")] }]);

    const both = [number("34600111222"), email("a@b.test")];
    const [sent] = await learn(t, [{ addresses: both }], "send");
    assert.equal(sent!.changed, false);
    const [signed] = await learn(t, [{ addresses: [visitor("c-1"), ...both] }], "visitor");

    const rows = await t.sql<
      { id: string }[]
    >`select id from outbound.contacts where company_id = ${t.company.id}`;
    assert.deepEqual([...rows], [{ id: signed!.contact_id }]);
    const [row] = await readContacts(t.sql, t.company.id, [rows[0]!.id]);
    assert.deepEqual(
      row!.addresses,
      [email("a@b.test"), number("34600111222"), visitor("c-1")].map((a) => ({ ...a })),
    );
  }));

Deno.test("a person whose number changes is the same contact under both", () =>
  withPeople(async (t) => {
    const { sql, company } = t;
    const [ana] = await learn(t, [{ addresses: [number("34600111222")], name: "Ana" }]);
    const { waba_id, platform_id } = company.sender;
    const move = {
      waba_id,
      phone_number_id: platform_id,
      from: "34600111222",
      to: "34600999888",
      at: new Date(),
    };

    for (let times = 0; times < 2; times++) {
      await sql`select outbound.move_contacts(${JSON.stringify([move])}::text::json)`;
    }

    const [again] = await learn(t, [{ addresses: [number("34600999888")] }]);
    assert.deepEqual([again!.contact_id, again!.changed], [ana!.contact_id, false]);
  }));

Deno.test("any number of transactions that learn the same people at once make each once", () =>
  withPeople(async (t) => {
    const people = Array.from(
      { length: 20 },
      (_, index) => ({ addresses: [number(`346001112${10 + index}`)] }),
    );

    const learned = await Promise.all([people, people.toReversed(), people].map((each) => learn(t, each)));

    assert.equal(learned.flat().filter(({ created }) => created).length, people.length);
    assert.equal(new Set(learned.flat().map(({ contact_id }) => contact_id)).size, people.length);
  }));

/** Sends to people by a request that names them; what a request is checked against is kept for a while, by its template. */
async function notify(t: People, contacts: JsonObject[], name = "orders"): Promise<void> {
  const { sql, company, http } = t;
  const [known] = await sql`select from outbound.templates where name = ${name}`;
  const { sender } = company;
  if (!known) {
    await insertTemplate(sql as unknown as postgres.Sql, sender, { name, components: ORDER_COMPONENTS });
  }
  const body = notifyBody({ sender, template: { name, language: "en" } } as never, {
    contact: undefined,
    contacts,
    components_push: { body_text_0: "you", body_text_1: "A-17" },
  });
  const { status, body: answer } = await http.request("POST", "/notify", body, {
    query: { access_key: company.key.key },
  });
  assert.deepEqual([status, answer.failed ?? 0], [200, 0], JSON.stringify(answer));
}

Deno.test("the people of requests become contacts where the company wants it, and erased ones stay unknown", () =>
  withPeople(async (t) => {
    const { manage, sql, services, ask } = t;
    const ana = {
      number: "34600111222",
      name: "Ana",
      email: "ANA@acme.test",
      city: "Madrid",
      metadata: { order: 1 },
    };
    const luis = { number: "34600111223", first_name: "Luis", last_name: "Gil" };
    await notify(t, [ana, luis]);
    await learnNamedPeople(services);
    assert.equal((await sql`select from outbound.contacts`).length, 0);
    const changed = await manage("PUT", "settings", { learn_contacts: true });
    assert.deepEqual([changed.status, changed.body.learn_contacts], [200, true]);

    await notify(t, [ana, luis], "orders_2");
    assert.equal((await sql`select from outbound.named_people`).length, 2);
    await learnNamedPeople(services);

    const { body: { contacts } } = await manage("GET", "contacts");
    const shown = contacts.map(({ name, attributes, source }: JsonObject) => [name, attributes, source]);
    assert.deepEqual(shown.toSorted(), [["Ana", { city: "Madrid" }, "send"], ["Luis Gil", {}, "send"]]);
    assert.equal((await sql`select from outbound.named_people`).length, 0);

    await notify(t, [luis], "orders_2");
    assert.equal((await ask("POST", "erase", { number: luis.number })).body.erased.contacts, 1);
    await manage("POST", "contacts/consents", {
      consents: [{
        number: luis.number,
        channel: "any",
        status: "granted",
        method: "web",
        consented_at: new Date().toISOString(),
      }],
    });
    await sql`insert into outbound.named_people (company_id, number, person, source)
      values (${t.company.id}, ${ana.number}, '{"name": "Late"}', 'send')`;
    await learnNamedPeople(services);
    assert.deepEqual(await t.namesOf({}), ["Ana"]);
  }));

Deno.test("people who write become contacts by their profile's name, where the company wants it", () =>
  withPeople(async (t) => {
    const { company, services, sql } = t;
    const profile = { wa_id: ANA.number, profile: { name: "Ana R." } };
    await receive(t, company.sender, "Hello", profile);
    await sql`update outbound.companies set learn_contacts = true where id = ${company.id}`;
    assert.equal((await sql`select from outbound.named_people`).length, 0);

    await receive(t, company.sender, "Hello", profile);
    await learnNamedPeople(services);

    assert.deepEqual(await t.namesOf({ search: "0034 600 000 001" }), ["Ana R."]);
  }));

import assert from "node:assert/strict";
import fc from "fast-check";
import type postgres from "postgres";
import { learnContacts } from "../../../supabase/functions/_shared/db/people/contacts.ts";
import type { ContactAddress, Person } from "../../../supabase/functions/_shared/people/person.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { insertAttributes } from "../../setup/fixtures/people.ts";
import { createLearnModel, type KnownPerson } from "./learn_model.ts";

const numberOf = (n: number) => `3460000000${n}`;
const ALIAS = [numberOf(1), numberOf(2)] as const;
const LINKED = { number: numberOf(3), userId: "ES.1349" };
const ERASED = "e".repeat(64);

const address: fc.Arbitrary<ContactAddress> = fc.oneof(
  fc.integer({ min: 1, max: 6 }).map((n) => ({ kind: "number" as const, address: numberOf(n) })),
  fc.constantFrom("ana", "bo", "cy").map((name) => ({
    kind: "email" as const,
    address: `${name}@acme.test`,
  })),
  fc.constantFrom(LINKED.userId, "ES.7").map((id) => ({ kind: "user_id" as const, address: id })),
);
const person: fc.Arbitrary<Person> = fc.record({
  addresses: fc.array(address, { minLength: 1, maxLength: 3 }),
  name: fc.option(fc.constantFrom("Ana", "Bo"), { nil: undefined }),
  tags: fc.uniqueArray(fc.constantFrom("new", "vip", "b2b"), { maxLength: 2 }),
  attributes: fc.record({ city: fc.constantFrom("Madrid", "Toledo"), points: fc.nat(2) }, {
    requiredKeys: [],
  }),
  overwrite: fc.boolean(),
  hashes: fc.constantFrom([], [ERASED]),
});
const batches = fc.array(
  fc.record({
    source: fc.constantFrom("import" as const, "send" as const),
    people: fc.array(person, { minLength: 1, maxLength: 5 }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** A company with an alias, a linked user id and a person who was erased. */
async function insertKnowing(sql: postgres.Sql): Promise<string> {
  const { id } = await insertCompany(sql);
  await insertAttributes(sql, id, { city: "text", points: "number" });
  await sql`insert into outbound.number_aliases (company_id, number, platform_number)
    values (${id}, ${ALIAS[0]}, ${ALIAS[1]})`;
  await sql`select outbound.link_user_id(${id}, ${LINKED.userId}, ${LINKED.number}, null, now())`;
  await sql`insert into outbound.erased_contacts (company_id, address_hash) values (${id}, ${ERASED})`;
  return id;
}

const OTHERS = [
  ALIAS.map((number) => `number ${number}`),
  [`number ${LINKED.number}`, `user_id ${LINKED.userId}`],
].flatMap(([one, other]) => [[one!, other!], [other!, one!]] as const);

async function readPeople(sql: postgres.Sql, companyId: string): Promise<Map<string, KnownPerson>> {
  const rows = await sql<(Omit<KnownPerson, "addresses"> & { id: string; addresses: string[] })[]>`
    select c.id, c.name, c.tags, c.attributes, array_agg(a.kind || ' ' || a.address) as addresses
    from outbound.contacts as c
    join outbound.contact_addresses as a on a.company_id = c.company_id and a.contact_id = c.id
    where c.company_id = ${companyId} group by c.company_id, c.id`;
  return new Map(rows.map(({ id, addresses, ...rest }) => [id, { ...rest, addresses: new Set(addresses) }]));
}

Deno.test("learnContacts() says the same of a batch as of one person after the other", () =>
  withTestDatabase(async ({ sql }) => {
    await fc.assert(
      fc.asyncProperty(batches, async (given) => {
        const companyId = await insertKnowing(sql);
        const model = createLearnModel(new Map(OTHERS), new Set([ERASED]));
        const [learned, expected] = [[] as { contact_id: string | null }[], [] as { person: unknown }[]];
        for (const { source, people } of given) {
          const outcomes = people.map((each) => model.learn(each, source));
          const stored = await learnContacts(sql as never, companyId, people, source);
          assert.deepEqual(
            stored.map(({ created, changed }) => [created, changed]),
            outcomes.map(({ created, changed }) => [created, changed]),
          );
          learned.push(...stored);
          expected.push(...outcomes);
        }
        const stored = await readPeople(sql, companyId);
        assert.deepEqual(
          learned.map(({ contact_id: id }) => id && stored.get(id)),
          expected.map(({ person }) => person),
        );
        assert.equal(stored.size, model.people.length);
      }),
      { numRuns: 200 },
    );
  }));

import assert from "node:assert/strict";
import fc from "fast-check";
import type postgres from "postgres";
import { readFacts } from "../../supabase/functions/_shared/audiences/audience.ts";
import {
  type Condition,
  type ConditionTest,
  readCondition,
} from "../../supabase/functions/_shared/audiences/condition.ts";
import { resolveCondition } from "../../supabase/functions/_shared/audiences/resolve_condition.ts";
import {
  type AudienceCount,
  chooseOfAudience,
  countAudience,
  readAudienceIds,
} from "../../supabase/functions/_shared/db/contacts/audiences.ts";
import { uuidv7 } from "../../supabase/functions/_shared/values/uuid.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertCompany } from "../setup/fixtures/fixtures.ts";
import {
  type ContactFixture,
  contactOf,
  insertAttributes,
  insertContacts,
} from "../setup/fixtures/people.ts";
import { meets, type People } from "./evaluate_condition.ts";

const NOW = new Date("2026-06-15T12:30:00Z");
const ATTRIBUTES = {
  plan: "text",
  "a.b": "text",
  visits: "number",
  birthday: "date",
  vip: "boolean",
} as const;
const CONSENTED: Condition = { field: "consent.voice.marketing", op: "is_set" };
const PEOPLE = 60;
const LISTS = ["0192f8d0-0000-7000-8000-00000000000a", "0192f8d0-0000-7000-8000-00000000000b"] as const;

const word = fc.constantFrom("ana", "Ana", "ANABEL", "bo", "%", "_a", "o'neil", "x y", "é", "\\");
const maybeWord = fc.option(word, { nil: null });
const day = fc.integer({ min: -20, max: 20 }).map((days) =>
  new Date(NOW.getTime() - days * 86_400_000).toISOString().slice(0, 10)
);
const moment = fc.integer({ min: -30 * 24, max: 0 }).map((hours) =>
  new Date(NOW.getTime() + hours * 3_600_000 - 1000)
);
const small = fc.constantFrom(-1, 0, 0.5, 1, 2, 10);
const tag = fc.constantFrom("new", "vip", "o'x");

const person = fc.record({
  name: maybeWord,
  language: fc.constantFrom(null, "es", "pt_BR"),
  timezone: fc.constantFrom(null, "Europe/Madrid"),
  country: fc.constantFrom(null, "ES", "BR"),
  attributes: fc.record({ plan: word, "a.b": word, visits: small, birthday: day, vip: fc.boolean() }, {
    requiredKeys: [],
  }),
  tags: fc.uniqueArray(tag, { maxLength: 3 }),
  kinds: fc.subarray(["number", "other", "user_id", "email"] as const),
  first_seen_at: moment,
  last_seen_at: moment,
});

const ledger = {
  of: fc.nat({ max: PEOPLE * 3 }),
  channel: fc.constantFrom("any" as const, "whatsapp" as const, "voice" as const),
  category: fc.constantFrom("marketing" as const, "all" as const),
};

const test = (field: string, ops: ConditionTest["op"][], value: fc.Arbitrary<ConditionTest["value"]>) => [
  ...ops.map((op) => value.map((value): Condition => ({ field, op, value }))),
  .../^(list|opted_out)/.test(field)
    ? []
    : [fc.constantFrom<Condition>({ field, op: "is_set" }, { field, op: "is_not_set" })]
      .filter(() => !field.endsWith("seen_at")),
];
const channels = ["whatsapp.marketing", "whatsapp.all", "voice.marketing", "voice.all"];
const leaf: fc.Arbitrary<Condition> = fc.oneof(
  ...["name", "language", "timezone", "country", "attribute.plan", "attribute.a.b"].flatMap((field) =>
    test(
      field,
      ["is", "is_not", "contains", "starts_with"],
      fc.oneof(word, fc.constantFrom("ES", "es", "pt", "europe")),
    )
  ),
  ...test("tag", ["is", "is_not"], tag),
  ...test("attribute.visits", ["is", "is_not", "greater", "less"], small),
  ...test("attribute.vip", ["is", "is_not"], fc.boolean()),
  ...test("attribute.birthday", ["is", "is_not", "before", "after"], day),
  ...test("attribute.birthday", ["within_days"], fc.integer({ min: -20, max: 20 })),
  ...["first_seen_at", "last_seen_at"].flatMap((field) => [
    ...test(field, ["before", "after"], day),
    ...test(field, ["within_days"], fc.integer({ min: 1, max: 30 })),
  ]),
  ...channels.flatMap((of) =>
    test(`consent.${of}`, ["is", "is_not"], fc.constantFrom("granted", "withdrawn"))
  ),
  ...channels.flatMap((of) => test(`opted_out.${of}`, ["is", "is_not"], fc.boolean())),
  ...test("list", ["is", "is_not"], fc.constantFrom(...LISTS)),
);

function tree(depth: number): fc.Arbitrary<Condition> {
  if (depth === 1) return leaf;
  const part = tree(depth - 1);
  const parts = fc.array(part, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 2, arbitrary: leaf },
    parts.map((all) => ({ all })),
    parts.map((any) => ({ any })),
    part.map((not) => ({ not })),
  );
}

const withoutLists = tree(2).filter((condition) => !JSON.stringify(condition).includes('"list"'));

const world = fc.record({
  people: fc.array(person, { minLength: PEOPLE, maxLength: PEOPLE }),
  consents: fc.array(
    fc.record({ ...ledger, status: fc.constantFrom("granted" as const, "withdrawn" as const), at: moment }),
    { maxLength: 120 },
  ),
  suppressions: fc.array(fc.record(ledger), { maxLength: 40 }),
  members: fc.subarray(Array.from({ length: PEOPLE }, (_, index) => index)),
  listCondition: withoutLists,
  conditions: fc.array(tree(4), { minLength: 30, maxLength: 30 }),
});

/** Addresses of the nth person; some have none. */
const numberOf = (index: number) => String(34_600_000_000 + index);
const userIdOf = (index: number) => `ES.${1000 + index}`;

function addressesOf(index: number, kinds: string[]): ContactFixture["addresses"] {
  const all = {
    number: { kind: "number", address: numberOf(index) },
    other: { kind: "number", address: numberOf(index + 500_000) },
    user_id: { kind: "user_id", address: userIdOf(index) },
    email: { kind: "email", address: `p${index}@example.com` },
  } as const;
  return kinds.map((kind) => all[kind as keyof typeof all]);
}

function ledgerAddress(of: number): string {
  const index = of % PEOPLE;
  return [numberOf(index), userIdOf(index), numberOf(index + 500_000)][Math.floor(of / PEOPLE)] ??
    numberOf(index);
}

Deno.test("a condition in SQL finds whom its plain evaluation finds, and none of another company", () =>
  withTestDatabase(async ({ sql }) => {
    await fc.assert(
      fc.asyncProperty(world, async ({ people: given, members, listCondition, conditions, ...ledgers }) => {
        const { id: companyId } = await insertCompany(sql);
        const contacts = given.map(({ kinds, ...fields }, index) =>
          contactOf({
            ...fields,
            attributes: { ...fields.attributes } as ContactFixture["attributes"],
            addresses: addressesOf(index, kinds),
          })
        );
        const people: People = {
          now: NOW,
          contacts,
          attributes: ATTRIBUTES,
          consents: ledgers.consents.map(({ of, ...entry }) => ({ address: ledgerAddress(of), ...entry })),
          suppressions: ledgers.suppressions.map(({ of, ...entry }) => ({
            address: ledgerAddress(of),
            ...entry,
          })),
          lists: new Map<string, { members: Set<string> } | { condition: Condition }>([
            [LISTS[0], { members: new Set(members.map((index) => contacts[index]!.id)) }],
            [LISTS[1], { condition: listCondition }],
          ]),
        };
        await store(sql, companyId, people);
        const other = await insertCompany(sql);
        await store(sql, other.id, {
          ...people,
          contacts: people.contacts.map((each) => ({ ...each, id: uuidv7() })),
          lists: new Map(),
        });

        // Of those who consented, some by a user id alone, which no call reaches.
        for (const condition of [CONSENTED, ...conditions]) {
          const read = readCondition(condition);
          const facts = await readFacts(sql, { companyId, condition: read, now: NOW });
          const match = resolveCondition(read, facts);

          const found = await readAudienceIds(sql, { companyId, match }, 1000);

          const expected = contacts.filter((contact) => meets(condition, contact, people)).map(({ id }) =>
            id
          );
          assert.deepEqual(found, expected.sort(), JSON.stringify(condition));
          const ids = contacts.map(({ id }) => id).toSorted();
          const few = { contactIds: ids, limit: PEOPLE / 2 };
          const chosen = await chooseOfAudience(sql, { companyId, match }, few);
          assert.deepEqual(chosen, expected.slice(0, PEOPLE / 2), `of few: ${JSON.stringify(condition)}`);
          for (const channel of ["whatsapp", "voice"] as const) {
            const counted = await countAudience(sql, { companyId, match }, {
              channel,
              category: "marketing",
            });
            const plain = countPlainly(condition, people, channel);
            assert.deepEqual(counted, plain, `count for ${channel}: ${JSON.stringify(condition)}`);
          }
        }
      }),
      { numRuns: 8 },
    );
  }));

/** Counts who meets a condition, and who of them can be reached on a channel. */
function countPlainly(condition: Condition, people: People, channel: "whatsapp" | "voice"): AudienceCount {
  const found = people.contacts.filter((contact) => meets(condition, contact, people));
  const isOut: Condition = { field: `opted_out.${channel}.marketing`, op: "is", value: true };
  const kinds = channel === "voice" ? ["number"] : ["number", "user_id"];
  const others = found.filter((contact) => !meets(isOut, contact, people));
  const reachable =
    others.filter(({ addresses }) => addresses.some(({ kind }) => kinds.includes(kind))).length;
  return {
    count: found.length,
    reachable,
    opted_out: found.length - others.length,
    without_address: others.length - reachable,
  };
}

async function store(sql: postgres.Sql, companyId: string, people: People): Promise<void> {
  await insertAttributes(sql, companyId, people.attributes);
  await insertContacts(sql, companyId, people.contacts);
  await sql`
    insert into outbound.consents (company_id, address, channel, category, status, method, consented_at, source)
    select ${companyId}, k.address, k.channel, k.category, k.status, 'paper', k.at, 'api'
    from jsonb_to_recordset(${sql.json(people.consents as unknown as postgres.JSONValue)})
      as k(address text, channel text, category text, status text, at timestamptz)
    on conflict do nothing`;
  await sql`
    insert into outbound.suppressions (company_id, address, channel, category, source, at)
    select ${companyId}, s.address, s.channel, s.category, 'api', now()
    from jsonb_to_recordset(${sql.json(people.suppressions as unknown as postgres.JSONValue)})
      as s(address text, channel text, category text)
    on conflict do nothing`;
  // Lifted, so they count for nothing.
  await sql`
    insert into outbound.suppressions (company_id, address, channel, category, source, at, lifted_at, lifted_by)
    select ${companyId}, a.address, 'any', 'all', 'operator', now(), now(), 'api'
    from outbound.contact_addresses as a where a.company_id = ${companyId} and a.kind = 'number'`;
  for (const [listId, list] of people.lists) {
    const condition = "condition" in list ? sql.json(list.condition as unknown as postgres.JSONValue) : null;
    await sql`
      insert into outbound.contact_lists (company_id, id, name, condition, created_by)
      values (${companyId}, ${listId}, ${listId}, ${condition}, 'cli')`;
    if ("condition" in list) continue;
    await sql`
      insert into outbound.contact_list_members (company_id, list_id, contact_id)
      select ${companyId}, ${listId}, unnest(${[...list.members]}::uuid[])`;
  }
}

import assert from "node:assert/strict";
import type postgres from "postgres";
import { countAudience, countContacts } from "../../../supabase/functions/_shared/db/contacts/audiences.ts";
import { readContactMessages } from "../../../supabase/functions/_shared/db/contacts/contact_messages.ts";
import { listContacts } from "../../../supabase/functions/_shared/db/people/contact_list.ts";
import {
  findContacts,
  learnContacts,
  readContact,
} from "../../../supabase/functions/_shared/db/people/contacts.ts";
import { takeNamedPeople } from "../../../supabase/functions/_shared/db/people/named_people.ts";
import { readTags, tagContacts } from "../../../supabase/functions/_shared/db/people/tags.ts";
import { readTimeline } from "../../../supabase/functions/_shared/db/people/timeline.ts";
import { readSearchText } from "../../../supabase/functions/_shared/people/search_text.ts";
import { faultsOf, pagesReadOf, plansOf, repeatedScans, rowsReadOf } from "../../queue/plans/read_plans.ts";
import { withMeasuredDatabase } from "../../setup/database/postgres_database.ts";
import { insertSendingCompany, type SendingCompany } from "../../setup/fixtures/queue.ts";

const CONTACTS = 20_000;
/** A page walks 2,000 contacts, and looks at an address or two of each. */
const MAX_ROWS = 2_300;
const LARGE = [
  ...["contacts", "contact_addresses", "contact_list_members", "named_people", "notification_facts"],
  ...["contact_messages", "suppressions", "consents", "audit_log", "contact_tags"],
];

const CONSENTED = { consent: "granted", channel: "whatsapp", category: "marketing" } as const;
const OPTED_OUT = { opted_out: "whatsapp", category: "marketing" } as const;

/** People with the same names in two companies, with numbers of their own. */
async function fillContacts(sql: postgres.ISql, { id }: SendingCompany, prefix: string): Promise<void> {
  await sql`
    insert into outbound.contacts (company_id, id, name, tags, source, first_seen_at)
    select ${id}, gen_random_uuid(), 'Person ' || n, case when n % 5000 = 0 then '{rare}'::text[] else '{often}' end,
      'import', now() - make_interval(secs => n)
    from generate_series(1, ${CONTACTS}) as n`;
  await sql`
    insert into outbound.contact_tags (company_id, tag, contacts)
    select ${id}, 'tag ' || n, 1 from generate_series(1, ${CONTACTS}) as n`;
  await sql`
    insert into outbound.contact_addresses (company_id, kind, address, contact_id)
    select c.company_id, 'number', ${prefix} || lpad(split_part(c.name, ' ', 2), 6, '0'), c.id
    from outbound.contacts as c where c.company_id = ${id}`;
  const [list] = await sql<{ id: string }[]>`
    insert into outbound.contact_lists (company_id, id, name, created_by)
    values (${id}, gen_random_uuid(), 'All', 'cli') returning id`;
  await sql`
    insert into outbound.contact_list_members (company_id, list_id, contact_id)
    select c.company_id, ${list!.id}, c.id from outbound.contacts as c where c.company_id = ${id}`;
  await sql`
    insert into outbound.consents (company_id, address, channel, category, status, method, consented_at, source)
    select a.company_id, a.address, 'any', 'marketing', 'granted', 'website', now(), 'api'
    from outbound.contact_addresses as a where a.company_id = ${id}`;
  await sql`
    insert into outbound.named_people (company_id, number, person, source)
    select ${id}, ${prefix} || n, '{}', 'send' from generate_series(1, ${CONTACTS}) as n`;
}

/** So many that a company has few contacts on average, of which the planner knows no more. */
async function fillNeighbours(sql: postgres.ISql): Promise<void> {
  await sql`
    with company as (
      insert into outbound.companies (id, name)
      select gen_random_uuid(), 'Neighbour ' || n from generate_series(1, 2000) as n returning id
    ),
    contact as (
      insert into outbound.contacts (company_id, id, name, source)
      select id, gen_random_uuid(), 'Person', 'import' from company returning company_id, id
    )
    insert into outbound.contact_addresses (company_id, kind, address, contact_id)
    select company_id, 'number', '34600000001', id from contact`;
}

/** A person who was sent and wrote much, and was changed often. */
async function fillHistory(
  sql: postgres.ISql,
  { id, sender }: SendingCompany,
  number: string,
  contactId: string,
) {
  await sql`
    insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id, total, pending, sent)
    select ${id}, outbound.first_id_at(now() - make_interval(secs => n)), k.id, 'whatsapp', 'Old', 'utility', ${sender.id}, 1, 0, 1
    from generate_series(1, 5000) as n cross join outbound.api_keys as k where k.company_id = ${id}`;
  await sql`
    insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, voice, number, message, status,
      attempt, fence, claimed_at, platform_message_id, sent_at)
    select ${id}, c.id, c.id, ${sender.id}, false, ${number}, '{}', 'sent', 1, 1, now(), c.id::text, now()
    from outbound.campaigns as c where c.company_id = ${id}`;
  await sql`
    insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, status, at)
    select ${id}, gen_random_uuid(), ${sender.id}, 'in', ${number}, 'text', 'received', now() - make_interval(secs => n)
    from generate_series(1, 5000) as n`;
  for (const table of ["suppressions", "consents"]) {
    await sql`
      insert into ${sql(`outbound.${table}`)} ${
      sql(
        Array.from({ length: 2000 }, (_, index) => ({
          ...{
            company_id: id,
            address: String(34_700_000_000 + index),
            channel: "any",
            category: "marketing",
          },
          source: "api",
          ...(table === "consents"
            ? { status: "granted", method: "web", consented_at: new Date() }
            : { at: new Date() }),
        })),
      )
    }`;
  }
  await sql`
    insert into outbound.audit_log (company_id, actor, action, subject, at)
    select ${id}, 'cli', 'contact.updated', ${contactId}, now() - make_interval(secs => n) from generate_series(1, 5000) as n`;
}

for (const analyzed of [false, true]) {
  Deno.test(`people are found, learned and read by indexes, ${analyzed ? "with" : "without"} statistics`, () =>
    withMeasuredDatabase(async ({ sql, url }) => {
      const company = await insertSendingCompany(sql);
      const companyId = company.id;
      await sql.begin(async (one) => {
        await fillContacts(one, company, "34600");
        await fillContacts(one, await insertSendingCompany(one as unknown as postgres.Sql), "34600");
        await fillNeighbours(one);
      });
      const address = { kind: "number" as const, address: "34600010000" };
      const [contactId] = await findContacts(sql, companyId, [address]) as [string];
      await fillHistory(sql, company, address.address, contactId);
      const [last] = await sql<{ id: string }[]>`
        select id from outbound.contacts where company_id = ${companyId} and name = 'Person 15000'`;
      if (analyzed) await sql`vacuum analyze`;
      const page = { companyId, limit: 50 };
      const find = (search: string, count: number) => async (one: postgres.Sql) => {
        const { contacts } = await listContacts(one, { ...page, search: readSearchText(search) });
        assert.equal(contacts.length, count, search);
      };

      const reads: Record<string, (one: postgres.Sql) => Promise<unknown>> = {
        list: (one) => listContacts(one, page),
        "a late page": (one) => listContacts(one, { ...page, after: last!.id }),
        "a common name": find("person", 50),
        "a rare name": find("on 1234", 11),
        "a number": find("0034 600 01 2345", 1),
        "a rare tag": (one) => listContacts(one, { ...page, tag: "rare" }),
        tags: (one) => readTags(one, { companyId, after: "tag 5", limit: 50 }),
        tag: (one) =>
          tagContacts(one, companyId, { ids: [contactId], tags: { add: ["new"], remove: ["rare"] } }, {
            actor: "cli",
          }),
        "a condition that few meet": async (one) => {
          const match = { all: [{ tag: "rare" }, CONSENTED, { not: OPTED_OUT }] };
          const { contacts, next } = await listContacts(one, { ...page, match });
          assert.ok(contacts.length === 0 && next !== null);
        },
        contact: (one) => readContact(one, { companyId, contactId }),
        learn: (one) =>
          learnContacts(one, companyId, [{ addresses: [address], name: "A", tags: ["x"] }], "import"),
        "take named people": (one) => takeNamedPeople(one, 50),
        "a person's messages": async (one) => {
          const person = { companyId, number: address.address, limit: 50 };
          const first = await readContactMessages(one, person);
          const second = await readContactMessages(one, { ...person, after: first!.at(-1)!.id });
          assert.equal(new Set([...first!, ...second!].map(({ id }) => id)).size, 100);
        },
        timeline: async (one) => {
          const key = { companyId, contactId };
          const first = await readTimeline(one, key, { after: null, limit: 50 });
          assert.equal((await readTimeline(one, key, { after: first.at(-1)!, limit: 50 })).length, 50);
        },
      };
      const faults: Record<string, string[]> = {};
      for (const [name, read] of Object.entries(reads)) {
        const plans = await plansOf(url, async (one) => void await read(one));
        faults[name] = faultsOf(plans, MAX_ROWS, LARGE);
      }

      assert.deepEqual(faults, Object.fromEntries(Object.keys(reads).map((name) => [name, []])));
      for (const match of [CONSENTED, { not: CONSENTED }, { any: [{ tag: "rare" }, CONSENTED] }]) {
        const plans = await plansOf(url, async (one) => {
          assert.equal(await countContacts(one, { companyId, match }), "not" in match ? 0 : CONTACTS);
        });
        assert.deepEqual(repeatedScans(plans, 10), [], JSON.stringify(match));
      }
      const consented = await plansOf(url, async (one) => {
        const sent = { channel: "whatsapp", category: "all" } as const;
        assert.equal((await countAudience(one, { companyId, match: CONSENTED }, sent)).reachable, CONTACTS);
      });
      // To find the contacts of the consents, and not again for those who have an address.
      assert.equal(rowsReadOf(consented).contact_addresses, CONTACTS);
      const shown = await plansOf(
        url,
        async (one) => void await listContacts(one, { ...page, match: CONSENTED }),
      );
      // Once to choose them, and once to show them.
      assert.equal(rowsReadOf(shown).consents, 2 * page.limit);
      if (!analyzed) return;
      const named = await plansOf(url, async (one) => {
        const sent = { channel: "whatsapp", category: "marketing" } as const;
        const counted = await countAudience(one, { companyId, match: { has: "name" } }, sent);
        assert.equal(counted.count, CONTACTS);
      });
      // In the order of their ids, each contact is on another page.
      const { contacts = 0, contacts_pkey: index = 0 } = pagesReadOf(named);
      assert.ok(contacts + index < CONTACTS / 5, `counting read ${contacts + index} pages of contacts`);
    }));
}

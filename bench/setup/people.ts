import type postgres from "postgres";
import type { Person } from "../../supabase/functions/_shared/people/person.ts";
import type { Tenant } from "./tenants.ts";

/** Makes people whose numbers no filled contact has, with what a file says of each. */
export function peopleFrom(first: number, count: number): Person[] {
  return Array.from({ length: count }, (_, index) => ({
    addresses: [
      { kind: "number", address: String(34_700_000_000 + first + index) },
      { kind: "email", address: `ana${first + index}@example.com` },
    ],
    name: `Ana Ruiz ${first + index}`,
    attributes: { plan: "gold" },
    tags: ["new"],
  }));
}

/** Gives a company contacts: one in a thousand is a vip, three of ten have consented, one in a hundred has opted out. */
export async function fillContacts(sql: postgres.Sql, { company }: Tenant, count: number): Promise<void> {
  await sql`
    insert into outbound.contact_attributes (company_id, name, type) values (${company.id}, 'plan', 'text')`;
  await sql`
    insert into outbound.contacts (company_id, id, name, country, attributes, tags, source, first_seen_at)
    select ${company.id}, outbound.uuidv7(), 'Ana Garcia ' || n, 'ES',
      jsonb_build_object('plan', case when n % 10 = 0 then 'gold' else 'basic' end),
      case when n % 1000 = 0 then '{vip}'::text[] else '{}' end, 'import', now() - n * interval '1 s'
    from generate_series(1, ${count}::int) as n`;
  await sql`
    insert into outbound.contact_addresses (company_id, kind, address, contact_id)
    select ${company.id}, 'number', (34600000000 + row_number() over ())::text, c.id
    from outbound.contacts as c where c.company_id = ${company.id}`;
  await sql`
    insert into outbound.consents (company_id, address, channel, category, status, method, consented_at, source)
    select ${company.id}, (34600000000 + n)::text, 'whatsapp', 'marketing', 'granted', 'website', now(), 'import'
    from generate_series(1, ${count}::int) as n where n % 10 < 3`;
  await sql`
    insert into outbound.suppressions (company_id, address, channel, category, source, at)
    select ${company.id}, (34600000000 + n)::text, 'whatsapp', 'marketing', 'keyword', now()
    from generate_series(1, ${count}::int) as n where n % 100 = 0`;
}

/** Companies beside those that are measured, with ten contacts each. */
const NEIGHBOURS = 5000;

/** Adds these companies. */
export async function fillNeighbours(sql: postgres.Sql): Promise<void> {
  await sql`
    with company as (
      insert into outbound.companies (id, name)
      select gen_random_uuid(), 'Neighbour ' || n from generate_series(1, ${NEIGHBOURS}::int) as n returning id
    ),
    contact as (
      insert into outbound.contacts (company_id, id, name, source)
      select company.id, outbound.uuidv7(), 'Ana Garcia ' || n, 'import'
      from company cross join generate_series(1, 10) as n returning company_id, id
    )
    insert into outbound.contact_addresses (company_id, kind, address, contact_id)
    select company_id, 'number', (34600000000 + row_number() over (partition by company_id))::text, id from contact`;
}

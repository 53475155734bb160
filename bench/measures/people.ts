import type postgres from "postgres";
import { showAudienceCount } from "../../supabase/functions/_shared/http/company/audience_count.ts";
import { listContacts } from "../../supabase/functions/_shared/db/people/contact_list.ts";
import { readTimeline } from "../../supabase/functions/_shared/db/people/timeline.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { readSearchText } from "../../supabase/functions/_shared/people/search_text.ts";
import { type Cost, openExplained } from "../growth/explained.ts";
import { addTenant, migrate, type Tenant } from "../setup/tenants.ts";
import { comparisonRow } from "./comparison_row.ts";
import { limitRow } from "./limit_row.ts";
import type { Bench, Row } from "./measure.ts";

const FEW = 10_000;
const MANY = 1_000_000;
const QUICK_MANY = 100_000;
/** Companies beside it, with ten contacts each. */
const NEIGHBOURS = 5000;
const ROUNDS = 5;
const PAGE = 50;
/** A page of a list may read as much as the same page of few contacts, and a tree that is deeper. */
const MAX_RATIO = 2;
const MAX_COUNT_MS = 1000;

const COUNTS: Record<string, Record<string, unknown>> = {
  "a tag and an attribute": {
    all: [{ field: "tag", op: "is", value: "vip" }, { field: "attribute.plan", op: "is", value: "gold" }],
  },
  "having a name": { field: "name", op: "is_set" },
  "a consent": { field: "consent.whatsapp.marketing", op: "is", value: "granted" },
  "a consent, and not opted out": {
    all: [
      { field: "consent.whatsapp.marketing", op: "is", value: "granted" },
      { field: "opted_out.whatsapp.marketing", op: "is", value: false },
    ],
  },
};

/**
 * The costs of a company's lists of people, of a person's timeline and of counting who meets a condition, of a company with
 * many contacts against one with few, beside thousands of others.
 */
export async function measurePeople(bench: Bench): Promise<Row[]> {
  const url = await bench.server.create("bench_people");
  const sql = await migrate(url);
  try {
    const many = bench.quick ? QUICK_MANY : MANY;
    const small = await addTenant(sql);
    const large = await addTenant(sql);
    await fillNeighbours(sql);
    await fillContacts(sql, small, FEW);
    await fillContacts(sql, large, many);
    bench.report(`${many.toLocaleString("en")} contacts`);
    await sql`vacuum analyze`;
    const [theirs, ours] = [await measure(url, small), await measure(url, large)];
    const of = `of ${many.toLocaleString("en")} contacts`;
    return [
      ...Object.keys(ours.lists).map((work) =>
        comparisonRow({
          work: `${work} ${of}, pages`,
          against: `the same of ${FEW.toLocaleString("en")}`,
          ours: ours.lists[work]!.map(({ pages }) => pages),
          theirs: theirs.lists[work]!.map(({ pages }) => pages),
          show: (pages) => String(Math.round(pages)),
          max: MAX_RATIO,
        })
      ),
      ...Object.entries(ours.counts).map(([condition, costs]) =>
        limitRow({
          work: `count by ${condition}, ${of}`,
          figures: costs.map(({ us }) => us / 1000),
          show: (ms) => `${Math.round(ms)} ms`,
          max: MAX_COUNT_MS,
        })
      ),
    ];
  } finally {
    await sql.end();
    await bench.server.drop("bench_people");
  }
}

type Costs = Record<string, Cost[]>;

async function measure(url: string, { company }: Tenant): Promise<{ lists: Costs; counts: Costs }> {
  const { sql, run } = await openExplained(url);
  const companyId = company.id;
  const repeat = async (work: (sql: Sql) => Promise<unknown>) => {
    await run(work); // makes the plans
    const costs: Cost[] = [];
    for (let round = 0; round < ROUNDS; round++) costs.push((await run(work)).cost);
    return costs;
  };
  const contacts = (query: Partial<Parameters<typeof listContacts>[1]>) => (sql: Sql) =>
    listContacts(sql, { companyId, limit: PAGE, ...query });
  try {
    const { contacts: [first] } = await contacts({})(sql);
    const lists = {
      "first page": await repeat(contacts({})),
      "by a part of a name": await repeat(contacts({ search: readSearchText("Garcia 77") })),
      "by a part of a number": await repeat(contacts({ search: readSearchText("600 007 77") })),
      "by a tag of one in a thousand": await repeat(contacts({ tag: "vip" })),
      "by a consent": await repeat(
        contacts({ match: { consent: "granted", channel: "whatsapp", category: "marketing" } }),
      ),
      "a person's timeline": await repeat((sql) =>
        readTimeline(sql, { companyId, contactId: first!.contact_id }, { after: null, limit: PAGE })
      ),
    };
    const counts: Costs = {};
    for (const [name, condition] of Object.entries(COUNTS)) {
      counts[name] = await repeat((sql) =>
        showAudienceCount(sql, { companyId, now: new Date() }, {
          ...{ channel: "whatsapp", category: "marketing" },
          condition,
        })
      );
    }
    return { lists, counts };
  } finally {
    await sql.end();
  }
}

/** One in a thousand is a vip, three of ten have consented, one in a hundred has opted out. */
async function fillContacts(sql: postgres.Sql, { company }: Tenant, count: number): Promise<void> {
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

async function fillNeighbours(sql: postgres.Sql): Promise<void> {
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

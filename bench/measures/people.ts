import postgres from "postgres";
import { showAudienceCount } from "../../supabase/functions/_shared/http/company/audience_count.ts";
import { listContacts } from "../../supabase/functions/_shared/db/people/contact_list.ts";
import { learnContacts } from "../../supabase/functions/_shared/db/people/contacts.ts";
import { readTimeline } from "../../supabase/functions/_shared/db/people/timeline.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { ARRAY_TYPES } from "../../supabase/functions/_shared/db/driver/wire_types.ts";
import { readSearchText } from "../../supabase/functions/_shared/people/search_text.ts";
import { type Cost, openExplained } from "../growth/explained.ts";
import { fillContacts, fillNeighbours, peopleFrom } from "../setup/people.ts";
import { processorTime } from "../setup/processor_time.ts";
import { addTenant, migrate, type Tenant } from "../setup/tenants.ts";
import { comparisonRow } from "./comparison_row.ts";
import { limitRow } from "./limit_row.ts";
import type { Bench, Row } from "./measure.ts";

const FEW = 10_000;
const MANY = 1_000_000;
const QUICK_MANY = 100_000;
const ROUNDS = 5;
const PAGE = 50;
/** A page of a list may read as much as the same page of few contacts, and a tree that is deeper. */
const MAX_RATIO = 2;
const MAX_COUNT_MS = 1000;
/** As an import records them at once. */
const PEOPLE_PER_BATCH = 1000;
const MAX_LEARN_US = 300;

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
 * The costs of a company's lists of people, of a person's timeline, of counting who meets a condition and of importing
 * people, of a company with many contacts against one with few, beside thousands of others.
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
    const counts = await timeCounts(url, large);
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
      ...Object.entries(counts).map(([condition, figures]) =>
        limitRow({
          work: `count by ${condition}, ${of}, processor time`,
          figures,
          show: (ms) => `${Math.round(ms)} ms`,
          max: MAX_COUNT_MS,
        })
      ),
      ...Object.entries(ours.imports).map(([people, costs]) =>
        limitRow({
          work: `import of ${people} into ${many.toLocaleString("en")} contacts, per person`,
          figures: costs.map(({ us }) => us / PEOPLE_PER_BATCH),
          show: (us) => `${Math.round(us)} µs`,
          max: MAX_LEARN_US,
        })
      ),
    ];
  } finally {
    await sql.end();
    await bench.server.drop("bench_people");
  }
}

type Costs = Record<string, Cost[]>;

async function measure(url: string, { company }: Tenant): Promise<{ lists: Costs; imports: Costs }> {
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
    let learned = 0;
    const learn = (sql: Sql) =>
      learnContacts(sql, companyId, peopleFrom(learned, PEOPLE_PER_BATCH), "import");
    const imports: Costs = { "known people": await repeat(learn) };
    imports["new people"] = await repeat((sql) => {
      learned += PEOPLE_PER_BATCH;
      return learn(sql);
    });
    return { lists, imports };
  } finally {
    await sql.end();
  }
}

/**
 * Takes the milliseconds of processor time of each count: as long as it takes on a core of its own, since no count uses two.
 * The connection explains nothing, because that would add a tenth for millions of rows.
 */
async function timeCounts(url: string, { company }: Tenant): Promise<Record<string, number[]>> {
  const sql = postgres(url, { max: 1, fetch_types: false, types: ARRAY_TYPES });
  const counts: Record<string, number[]> = {};
  try {
    const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    for (const [name, condition] of Object.entries(COUNTS)) {
      const figures: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const before = await processorTime(backend!.pid);
        await showAudienceCount(sql, { companyId: company.id, now: new Date() }, {
          ...{ channel: "whatsapp", category: "marketing" },
          condition,
        });
        figures.push(1000 * (await processorTime(backend!.pid) - before));
      }
      counts[name] = figures;
    }
  } finally {
    await sql.end();
  }
  return counts;
}

import assert from "node:assert/strict";
import type postgres from "postgres";
import { withMeasuredDatabase } from "../../setup/database/postgres_database.ts";
import {
  acceptAll,
  addMarketingTemplate,
  claim,
  enqueue,
  insertSendingCompany,
  requestOf,
  type SendingCompany,
} from "../../setup/fixtures/queue.ts";
import { setConsentPolicy } from "../../setup/fixtures/contacts.ts";
import { faultsOf, plansOf } from "./read_plans.ts";

const PEOPLE = 50_000;
const MESSAGES = 100;
const LARGE = ["suppressions", "consents", "marketing_cooldowns", "erased_contacts", "user_ids"];

/** People of a company, besides those it writes to, who opted out, agreed, rest or were erased. */
async function insertPeople(sql: postgres.Sql, company: SendingCompany): Promise<void> {
  const { id } = company;
  const people = sql`generate_series(1, ${PEOPLE}) as p(n)`;
  await sql`
    insert into outbound.suppressions (company_id, address, channel, category, source, at)
    select ${id}, (34000000000 + n)::text, 'any', 'marketing', 'keyword', now() from ${people}`;
  await insertConsents(sql, company, 500);
  await sql`
    insert into outbound.consents (company_id, address, channel, category, status, method, consented_at, source)
    select ${id}, (34000000000 + n)::text, 'any', 'marketing', 'granted', 'website', now(), 'api' from ${people}`;
  await sql`
    insert into outbound.marketing_cooldowns select ${id}, (34000000000 + n)::text, now() + interval '1 day' from ${people}`;
  await sql`
    insert into outbound.user_ids (company_id, user_id, number)
    select ${id}, 'ES.x' || n, (34000000000 + n)::text from ${people}`;
  await sql`
    insert into outbound.erased_contacts (company_id, address_hash)
    select ${id}, encode(sha256(n::text::bytea), 'hex') from ${people}`;
}

/** Consents of a hundred recipients in turn. */
async function insertConsents(sql: postgres.Sql, { id }: SendingCompany, count: number): Promise<void> {
  await sql`
    insert into outbound.consents (company_id, address, channel, category, status, method, consented_at, source)
    select ${id}, (59171000100 + n % 100)::text, 'any', 'marketing', 'granted', 'website',
      now() - make_interval(secs => n), 'api' from generate_series(1, ${count}::int) as n`;
}

/** Accepts a campaign and claims it. */
async function acceptAndClaim(one: postgres.Sql, company: SendingCompany): Promise<void> {
  const request = requestOf(company, { type: "marketing", count: MESSAGES });
  request.knows_erased = true;
  request.notifications.forEach((notification) => notification.hashes = ["0".repeat(64)]);
  assert.equal((await acceptAll(one, [request]))[0]!.outcome, "accepted");
  assert.equal((await claim(one)).length, MESSAGES);
}

for (const plan of ["with statistics", "without statistics", "by plans made while there were no people"]) {
  Deno.test(`${PEOPLE} people who opted out cost accepting and claiming one look-up per recipient, ${plan}`, () =>
    withMeasuredDatabase(async ({ sql, url }) => {
      const company = await insertSendingCompany(sql);
      await addMarketingTemplate(sql, company);
      await setConsentPolicy(sql, company.id, "require");
      await insertConsents(sql, company, 100);

      const plans = await plansOf(url, async (one) => {
        if (plan === "by plans made while there were no people") await acceptAndClaim(one, company);
        await insertPeople(sql, company);
        if (plan === "with statistics") await sql`analyze`;
        await acceptAndClaim(one, company);
      });

      // Five consents of each recipient are known.
      assert.deepEqual(faultsOf(plans, MESSAGES * 5, LARGE), []);
    }));
}

Deno.test("a company that asks for nothing and knows no person is not looked up", () =>
  withMeasuredDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    await insertPeople(sql, await insertSendingCompany(sql));

    const plans = await plansOf(url, async (one) => {
      await enqueue(one, company, { type: "marketing", count: MESSAGES });
    });

    assert.deepEqual(faultsOf(plans, 1, LARGE), []);
  }));

import assert from "node:assert/strict";
import type postgres from "postgres";
import { claimReceivedMedia } from "../../../supabase/functions/_shared/db/media/received_media.ts";
import { withMeasuredDatabase } from "../../setup/database/postgres_database.ts";
import { insertCompany, insertSender } from "../../setup/fixtures/fixtures.ts";
import { faultsOf, pagesReadOf, plansOf } from "./read_plans.ts";

/** Files of one company: `stored` ones are left out, `waiting` ones are due in an hour, and `due` ones now. */
async function insertFiles(
  sql: postgres.Sql,
  { companies, due, waiting }: { companies: number; due: number; waiting: number },
): Promise<void> {
  for (let each = 0; each < companies; each++) {
    const { id } = await insertCompany(sql);
    const sender = await insertSender(sql, id);
    await sql`
      with messages as (
        insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, status, at)
        select ${id}, gen_random_uuid(), ${sender.id}, 'in', '34600000001', 'image', 'received', now()
        from generate_series(1, ${due + waiting})
        returning id
      )
      insert into outbound.received_media (company_id, message_id, next_at)
      select ${id}, m.id, now() + case when row_number() over () <= ${due} then interval '0' else interval '1 hour' end
      from messages as m`;
    await sql`select outbound.schedule_received_media(array[${id}::uuid], now())`;
  }
}

const claim = (sql: postgres.Sql) => claimReceivedMedia(sql, { limit: 4, leaseS: 60, except: [] });

/** Returns the pages that a claim of one due file reads beside so many companies and files that wait. */
async function pagesBeside(companies: number, files: number): Promise<number> {
  let pages = -1;
  await withMeasuredDatabase(async ({ sql, url }) => {
    await insertFiles(sql, { companies, due: 0, waiting: 2 });
    await sql`update outbound.received_media_schedule set due_at = now() + interval '1 hour'`;
    await insertFiles(sql, { companies: 1, due: 1, waiting: files });
    await sql`
      insert into outbound.received_media (company_id, message_id, error_code)
      select c.id, gen_random_uuid(), 'gone' from outbound.companies as c, generate_series(1, 20)`;
    const plans = await plansOf(url, async (one) => {
      assert.equal((await claim(one)).length, 1);
    });
    assert.deepEqual(
      faultsOf(plans, 20, ["received_media", "received_media_schedule", "contact_messages"]),
      [],
    );
    pages = Object.values(pagesReadOf(plans)).reduce((a, b) => a + b, 0);
  });
  return pages;
}

Deno.test("companies and files that wait cost a claim of a file no pages", async () => {
  const none = await pagesBeside(0, 0);
  const many = await pagesBeside(300, 3000);

  assert.ok(many <= none + 30, JSON.stringify({ none, many }));
});

Deno.test("companies have turns, and the next round comes to those that nothing is due of", () =>
  withMeasuredDatabase(async ({ sql }) => {
    await insertFiles(sql, { companies: 6, due: 2, waiting: 0 });
    await insertFiles(sql, { companies: 6, due: 0, waiting: 1 });
    const turns = [];
    for (let round = 0; round < 5; round++) {
      turns.push((await claim(sql)).map(({ company_id }) => company_id));
    }

    assert.deepEqual(turns.map(({ length }) => length), [4, 2, 4, 2, 0]);
    assert.equal(new Set([...turns[0]!, ...turns[1]!]).size, 6);
    assert.deepEqual([...await sql`select from outbound.received_media_schedule where due_at <= now()`], []);
  }));

import assert from "node:assert/strict";
import { getCountries, getCountryCallingCode } from "libphonenumber-js/max";
import { cancelCampaign } from "../../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import { countryOfDigits } from "../../../supabase/functions/_shared/values/country_of.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { suppress } from "../../setup/fixtures/contacts.ts";
import {
  acceptAll,
  additionTo,
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  report,
  requestOf,
} from "../../setup/fixtures/queue.ts";
import { foldAll, historyOf, recount } from "./recount.ts";

Deno.test("a receipt that comes late counts in the hour of its event, and a state that is taken back counts no more", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company, { count: 2 });
    await finish(sql, await claim(sql), { outcome: "sent" });
    const yesterday = new Date(Date.now() - 30 * 3_600_000).toISOString();

    await report(sql, [eventOf(company.id, ids[0]!, "delivered", { occurred_at: yesterday })]);
    await foldAll(sql);
    await report(sql, [eventOf(company.id, ids[1]!, "failed", { error_code: "131026" })]);
    await foldAll(sql);

    const history = await historyOf(sql, company.id);
    assert.deepEqual(history, await recount(sql, company.id));
    const delivered = Object.keys(history).filter((key) => key.endsWith("delivered"));
    assert.deepEqual(delivered.map((key) => key.slice(0, 13)), [yesterday.slice(0, 13)]);
    const totals = totalsOf(history);
    assert.deepEqual(totals, { accepted: 2, sent: 1, delivered: 1, failed: 1 });
    assert.ok(Object.keys(history).some((key) => key.endsWith(" +591 131026 failed")));
  }));

Deno.test("what changes no state writes no history", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company);
    await finish(sql, await claim(sql), { outcome: "sent" });
    await foldAll(sql);
    const before = await historyOf(sql, company.id);

    await sql`select outbound.erase_notifications(${company.id}, ${ids}::uuid[])`;
    await report(sql, [eventOf(company.id, ids[0]!, "sent")]);

    assert.deepEqual([...await sql`select * from outbound.history_changes`], []);
    await foldAll(sql);
    assert.deepEqual(await historyOf(sql, company.id), before);
    assert.deepEqual(before, await recount(sql, company.id), "erasing keeps the area");
  }));

Deno.test("campaigns of one message share a row, others have their own, also if they grow to several", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company);
    await enqueue(sql, company);
    const first = requestOf(company);
    await acceptAll(sql, [{ ...first, campaign: { ...first.campaign, more: true } }]);
    await foldAll(sql);
    await acceptAll(sql, [additionTo(first, company)]);
    const large = await enqueue(sql, company, { count: 3 });
    await cancelCampaign(sql, { companyId: company.id, campaignId: large.campaignId }, { actor: "cli" });
    await foldAll(sql);

    const rows = await sql`
      select campaign_id, sum(accepted)::int as accepted, sum(cancelled)::int as cancelled from outbound.history
      where company_id = ${company.id} group by 1 order by 2, 3`;

    assert.deepEqual(rows.map(({ campaign_id, accepted, cancelled }) => [campaign_id, accepted, cancelled]), [
      ["00000000-0000-0000-0000-000000000000", 2, 0],
      [first.campaign.id, 2, 0],
      [large.campaignId, 3, 3],
    ]);
  }));

Deno.test("an opt-out counts once per person, in the area of the number", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await suppress(sql, company.id, { number: "34600111222" });
    await suppress(sql, company.id, { number: "34600111222" });
    await foldAll(sql);

    const rows = await sql`select area, opted_out from outbound.history where company_id = ${company.id}`;

    assert.deepEqual(rows.map(({ area, opted_out }) => [area, opted_out]), [["+34", 1]]);
  }));

Deno.test("hours become days when they are old, late events of such an hour too, and 13 months end", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company, { count: 4 });
    await foldAll(sql);
    await sql`update outbound.history set hour = date_trunc('day', now(), 'UTC') - interval '40 days' + interval '5 hours'`;
    await finish(sql, await claim(sql), { outcome: "sent" });
    const late = [50, 50, 500].map((days, index) =>
      eventOf(company.id, ids[index]!, "delivered", {
        occurred_at: new Date(Date.now() - days * 86_400_000).toISOString(),
      })
    );
    await report(sql, late);
    await foldAll(sql);

    const [cleaned] = await sql`select outbound.clean_up_history(100) as did`;
    const [again] = await sql`select outbound.clean_up_history(100) as did`;

    assert.deepEqual(cleaned!.did, { history: 1, history_hours: 1, sender_history: 0 });
    assert.deepEqual(again!.did, { history: 0, history_hours: 0, sender_history: 0 });
    const rows = await sql`
      select (date_trunc('day', now(), 'UTC')::date - (hour at time zone 'UTC')::date) as age,
        hour = date_trunc('day', hour, 'UTC') as is_day, sum(accepted)::int as accepted, sum(delivered)::int as delivered
      from outbound.history where company_id = ${company.id} and hour < now() - interval '1 day' group by 1, 2 order by 1`;
    assert.deepEqual(rows.map(({ age, is_day, accepted, delivered }) => [age, is_day, accepted, delivered]), [
      [40, true, 4, 0],
      [50, true, 0, 2],
    ]);
  }));

Deno.test("a company that is deleted leaves no history, not even of what is folded afterwards", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company);
    await foldAll(sql);
    await enqueue(sql, company);
    await suppress(sql, company.id, { number: "34600111222" });
    const changes = await sql`select * from outbound.history_changes`;
    await sql`delete from outbound.companies where id = ${company.id}`;
    assert.deepEqual([...await sql`select * from outbound.history_changes`], []);

    await sql`insert into outbound.history_changes ${sql(changes as unknown as Record<string, unknown>[])}`;
    await foldAll(sql);

    assert.deepEqual([...await sql`select * from outbound.history_changes`], []);
    assert.deepEqual([...await sql`select * from outbound.history where company_id = ${company.id}`], []);
  }));

Deno.test("a message counts in the area of its number, or of its user id", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const codes = new Set(getCountries().map((country) => getCountryCallingCode(country)));
    const numbers = [...codes].map((code) => `${code}23456789`);
    const addresses = numbers.map((number) => ({ number, user_id: null }));
    await enqueue(sql, company, { addresses: [...addresses, { number: null as never, user_id: "ES.1349" }] });

    const rows =
      await sql`select number, area, outbound.area_of(number) as same from outbound.notification_facts`;

    assert.ok(rows.length > 200);
    for (const { number, area, same } of rows) {
      if (number === null) assert.equal(area, "ES");
      else {
        assert.equal(area, same);
        assert.equal(countryOfDigits(area.slice(1)), countryOfDigits(number), number);
        assert.notEqual(countryOfDigits(number), "", number);
      }
    }
  }));

function totalsOf(history: Record<string, number>): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const [key, count] of Object.entries(history)) {
    const metric = key.split(" ").at(-1)!;
    totals[metric] = (totals[metric] ?? 0) + count;
  }
  return totals;
}

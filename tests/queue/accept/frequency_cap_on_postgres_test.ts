import assert from "node:assert/strict";
import { useFrequencyCaps } from "../../../supabase/functions/_shared/db/queue/frequency_caps.ts";
import { withMeasuredDatabase } from "../../setup/database/postgres_database.ts";
import { claim, enqueue, insertSendingCompany } from "../../setup/fixtures/queue.ts";
import { faultsOf, plansOf } from "../plans/read_plans.ts";

Deno.test("use_frequency_cap() is exact when many count at once", () =>
  withMeasuredDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company, { count: 40, type: "marketing" });
    await claim(sql);
    const numbers = ["59171000100", "59171000101", "59171000102"];

    const verdicts = await Promise.all(
      ids.map((id, index) => {
        // Half of the callers name two persons in the opposite order.
        const order = index % 2 === 0 ? numbers : numbers.toReversed();
        return useFrequencyCaps(
          sql,
          order.slice(0, 2).map((number) => ({
            company_id: company.id,
            notification_id: id,
            number,
            user_id: null,
            channel: "whatsapp" as const,
            day: "2030-01-15",
            caps: [{ channel: "any" as const, max: 5, days: 1, since: new Date() }],
          })),
        );
      }),
    );

    assert.equal(verdicts.length, 40);
    const counts = await sql<{ address: string; sends: number }[]>`
      select address, count(*)::int as sends from outbound.marketing_sends group by address order by address`;
    assert.deepEqual(counts.map(({ sends }) => sends), [5, 5, 5]);
  }));

for (const analyzed of [true, false]) {
  Deno.test(`use_frequency_cap() reads what its persons were sent and no more, ${analyzed ? "with" : "without"} statistics`, () =>
    withMeasuredDatabase(async ({ sql, url }) => {
      const company = await insertSendingCompany(sql);
      const { ids } = await enqueue(sql, company, { count: 100, type: "marketing" });
      await sql`
        insert into outbound.marketing_sends (company_id, address, notification_id, channel, day)
        select ${company.id}, (59171000000 + n % 20000)::text, gen_random_uuid(), 'whatsapp', '2030-01-14'
        from generate_series(1, 60000) as n`;
      await sql`
        insert into outbound.user_ids (company_id, user_id, number)
        select ${company.id}, 'BO.' || n, (59171000000 + n)::text from generate_series(1, 20000) as n`;
      if (analyzed) await sql`analyze`;
      const sends = ids.map((notification_id, index) => ({
        company_id: company.id,
        notification_id,
        number: String(59_171_000_100 + index),
        user_id: null,
        channel: "whatsapp" as const,
        day: "2030-01-15",
        caps: [["any", 7] as const, ["whatsapp", 1] as const].map(([channel, days]) => (
          { channel, max: 5, days, since: new Date() }
        )),
      }));

      const plans = await plansOf(url, async (one) => {
        await useFrequencyCaps(one, sends);
      });

      assert.deepEqual(
        faultsOf(plans, 1000, ["marketing_sends", "notification_facts", "queue", "user_ids"]),
        [],
      );
    }));
}

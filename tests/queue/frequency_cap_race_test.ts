import assert from "node:assert/strict";
import { useFrequencyCaps } from "../../supabase/functions/_shared/db/frequency_caps.ts";
import { withPostgresDatabase } from "../setup/postgres_database.ts";
import { claim, enqueue, insertSendingCompany } from "../setup/queue.ts";

Deno.test("use_frequency_cap() is exact when many count at once", () =>
  withPostgresDatabase(async ({ sql }) => {
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
            caps: [{ channel: "any" as const, max: 5, days: 1 }],
          })),
        );
      }),
    );

    assert.equal(verdicts.length, 40);
    const counts = await sql<{ address: string; sends: number }[]>`
      select address, count(*)::int as sends from outbound.marketing_sends group by address order by address`;
    assert.deepEqual(counts.map(({ sends }) => sends), [5, 5, 5]);
  }));

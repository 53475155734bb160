import assert from "node:assert/strict";
import fc from "fast-check";
import type postgres from "postgres";
import {
  acceptNotifications,
  type AcceptRequest,
  type AcceptVerdict,
} from "../../../supabase/functions/_shared/db/queue/accept_notifications.ts";
import { createBatcher } from "../../../supabase/functions/_shared/concurrency/batcher.ts";
import { connect } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import { insertSendingCompany, requestOf } from "../../setup/fixtures/queue.ts";

/** Accepts like one process of the service: its own connections, its own batches. */
function startProcess(url: string) {
  const sql = connect(url);
  const batcher = createBatcher((requests: AcceptRequest[]) => acceptNotifications(sql, requests), {
    maxItems: 200,
  });
  return { accept: batcher.add, stop: () => sql.end({ timeout: 5 }) };
}

/** Requests of one key: how many processes receive them, the number of contacts of each, and the limits. */
const CASES = fc.record({
  processes: fc.integer({ min: 1, max: 4 }),
  sizes: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 60 }),
  rate: fc.integer({ min: 1, max: 60 }),
  quota: fc.integer({ min: 0, max: 120 }),
});

Deno.test("limits hold to the last request, for one process and for several", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    await fc.assert(
      fc.asyncProperty(CASES, async ({ processes: count, sizes, rate, quota }) => {
        const company = await insertSendingCompany(sql, { key: { rate_limit: rate, daily_quota: quota } });
        // In a minute that does not end during the test.
        await sql`
          insert into outbound.usage (company_id, api_key_id, day, window_start)
          values (${company.id}, ${company.key.id}, (now() at time zone 'UTC')::date,
            date_trunc('minute', now()) + interval '1 minute')`;
        const processes = Array.from({ length: count }, () => startProcess(url));
        try {
          const verdicts = await Promise.all(sizes.map((size, index) => {
            return processes[index % count]!.accept(requestOf(company, { count: size }));
          }));
          assertLimits(verdicts, { sizes, rate, quota });
          await assertStored(sql, company.id, verdicts, sizes);
        } finally {
          await Promise.all(processes.map((process) => process.stop()));
        }
      }),
      { numRuns: 25 },
    );
  }));

type Limits = { sizes: number[]; rate: number; quota: number };

/** No limit is crossed, nothing is refused that would have fitted, and each accepted request has its own rest. */
function assertLimits(verdicts: AcceptVerdict[], { sizes, rate, quota }: Limits): void {
  const withOutcome = (outcome: string) =>
    verdicts.flatMap((verdict, index) =>
      verdict.outcome === outcome ? [{ ...verdict, size: sizes[index]! }] : []
    );
  const [accepted, overRate, overQuota] = ["accepted", "rate_limited", "quota_exceeded"].map(withOutcome);
  const used = accepted!.reduce((sum, { size }) => sum + size, 0);

  assert.equal(accepted!.length + overRate!.length + overQuota!.length, sizes.length);
  assert.ok(accepted!.length <= rate && used <= quota, `${accepted!.length} of ${rate}, ${used} of ${quota}`);
  if (overRate!.length > 0) assert.equal(accepted!.length, rate);
  for (const { size } of overQuota!) assert.ok(used + size > quota, `${used} + ${size} of ${quota}`);
  const remainders = accepted!.map(({ remaining }) => remaining).toSorted((a, b) => b - a);
  assert.deepEqual(remainders, accepted!.map((_, index) => rate - index - 1));
}

/** The accepted requests are stored, and only they are counted. */
async function assertStored(
  sql: postgres.Sql,
  companyId: string,
  verdicts: AcceptVerdict[],
  sizes: number[],
): Promise<void> {
  const [stored] = await sql`
    select u.requests, u.notifications,
      (select count(*)::int from outbound.campaigns as g where g.company_id = u.company_id) as campaigns,
      (select count(*)::int from outbound.notifications as n where n.company_id = u.company_id) as rows
    from outbound.usage as u where u.company_id = ${companyId}`;
  const accepted = sizes.filter((_, index) => verdicts[index]!.outcome === "accepted");
  const notifications = accepted.reduce((sum, size) => sum + size, 0);
  assert.deepEqual(stored, {
    requests: accepted.length,
    notifications,
    campaigns: accepted.length,
    rows: notifications,
  });
}

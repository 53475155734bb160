// A hundred thousand rows are too many for PGlite to make in a test.
import "../setup/database/postgres_database.ts";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type postgres from "postgres";
import { eventually } from "../setup/eventually.ts";
import { BASE_PATH } from "../setup/http/http.ts";
import { type TestServices, withServices } from "../setup/stack/services.ts";
import type { Measured } from "./measure_recipients.ts";
import { enqueue, insertSendingCompany, type SendingCompany } from "../setup/fixtures/queue.ts";
import { TEST_PACKAGES } from "../tools/test_packages.ts";

const COUNT = 100_000;
/** Ten times as many recipients may not take more than this; kept in memory, they would not fit the heap at all. */
const MAX_GROWTH_MIB = 60;

/** A campaign of so many notifications that failed, each with its reason. */
async function insertManyRecipients(
  sql: postgres.Sql,
  company: SendingCompany,
  count: number,
): Promise<string> {
  const { campaignId } = await enqueue(sql, company);
  await sql`
    insert into outbound.notification_facts (
      company_id, id, campaign_id, sender_id, number, message, status, attempt, failed_at, error_code, error_reason
    )
    select n.company_id, gen_random_uuid(), n.campaign_id, n.sender_id, (59172000000 + i)::text,
      n.message, 'failed', 1, now(), '131026',
      'The number is not on WhatsApp or cannot receive the message'
    from outbound.notifications as n, generate_series(2, ${count}::int) as i where n.campaign_id = ${campaignId}`;
  await sql`analyze outbound.notification_facts`;
  return campaignId;
}

async function open(t: TestServices, company: SendingCompany, campaignId: string) {
  const path = `/manage/companies/mine/campaigns/${campaignId}/recipients`;
  const query = new URLSearchParams({ access_key: company.key.key, format: "csv" });
  const request = new Request(`http://localhost${BASE_PATH}${path}?${query}`);
  const response = await t.app.fetch(request);
  assert.equal(response.status, 200);
  return response.body!.getReader();
}

/** The figures of a process with a heap of 64 MiB that reads the recipients of both campaigns. */
async function measureApart(...args: string[]): Promise<Measured[]> {
  const script = fileURLToPath(new URL("measure_recipients.ts", import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", ...TEST_PACKAGES, "--v8-flags=--max-old-space-size=64", script, ...args],
    stdin: "null",
    stderr: "inherit",
  });
  const { success, stdout } = await child.output();
  assert.ok(success);
  return new TextDecoder().decode(stdout).trim().split("\n").map((line) => JSON.parse(line) as Measured);
}

Deno.test("GET …/recipients streams a file of 100,000 recipients in constant memory", () =>
  withServices(async ({ sql, databaseUrl }) => {
    const company = await insertSendingCompany(sql);
    const small = await insertManyRecipients(sql, company, 10_000);
    const large = await insertManyRecipients(sql, company, COUNT);

    const [warm, csv] = await measureApart(databaseUrl, company.key.key, small, large);

    assert.deepEqual([warm!.lines, csv!.lines], [10_001, COUNT + 1]);
    const growth = csv!.rssPeakMib - warm!.rssPeakMib;
    const figures = `100,000 recipients: ${describe(csv!)}; ` +
      `${growth.toFixed(1)} MiB of memory more than for 10,000 (${warm!.rssPeakMib.toFixed(0)})`;
    Deno.stdout.writeSync(new TextEncoder().encode(`${figures}\n`));
    assert.ok(growth < MAX_GROWTH_MIB, figures);
  }));

function describe({ mib, seconds }: Measured): string {
  return `${mib.toFixed(1)} MiB in ${seconds.toFixed(1)} s`;
}

Deno.test("GET …/recipients holds no connection for a reader that is slow or goes away", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const campaignId = await insertManyRecipients(t.sql, company, 10_000);

    const readers = await Promise.all(
      Array.from({ length: 20 }, () => open(t, company, campaignId)),
    );
    await Promise.all(readers.map((reader) => reader.read()));
    const [alive] = await t.sql`select 1 as one`;
    await Promise.all(readers.map((reader) => reader.cancel()));

    assert.equal(alive?.one, 1);
    await eventually(async () => {
      const [busy] = await t.sql`
        select count(*)::int as sessions from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and (state <> 'idle' or xact_start is not null) and backend_type = 'client backend'`;
      assert.equal(busy?.sessions, 0);
    });
  }));

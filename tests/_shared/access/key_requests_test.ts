import assert from "node:assert/strict";
import { createKeyRequests } from "../../../supabase/functions/_shared/access/key_requests.ts";
import { readKeyRequestPage } from "../../../supabase/functions/_shared/db/access/key_requests.ts";
import { insertCompany, insertKey } from "../../setup/fixtures/fixtures.ts";
import { type TestDatabase, withTestDatabase } from "../../setup/database/database.ts";

const FACTS = { address: () => undefined, bodies: () => Promise.resolve(undefined) };

/** The memory of a process that is about to end, so that it stores without delay. */
function startRecording(sql: TestDatabase["sql"]) {
  let stored = Promise.resolve<unknown>(undefined);
  const requests = createKeyRequests(sql, (work) => stored = work);
  return { requests, stored: () => stored };
}

async function withKey(
  fn: (t: { sql: TestDatabase["sql"]; companyId: string; keyId: string }) => Promise<void>,
): Promise<void> {
  await withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    await fn({ sql, companyId, keyId: (await insertKey(sql, companyId)).id });
  });
}

function request(of: { companyId: string; keyId: string }, status: number) {
  const requestId = `req_${crypto.randomUUID().replaceAll("-", "")}`;
  return {
    ...of,
    ...{
      requestId,
      at: new Date(),
      method: "POST",
      path: "/notify",
      status,
      code: undefined,
      durationMs: 1.5,
    },
  };
}

Deno.test("of a busy key a sample is kept, and requests that are refused are not lost among the others", () =>
  withKey(async ({ sql, ...key }) => {
    const { requests, stored } = startRecording(sql);
    for (let count = 0; count < 1060; count++) requests.record(request(key, 200), FACTS);
    for (let count = 0; count < 3; count++) requests.record(request(key, 400), FACTS);
    requests.end();
    await stored();

    const rows = await sql`
      select status, stands_for, count(*)::int from outbound.key_requests group by 1, 2 order by 1, 2`;

    assert.deepEqual(rows.map((row) => ({ ...row })), [
      { status: 200, stands_for: 1, count: 60 },
      { status: 200, stands_for: 100, count: 10 },
      { status: 400, stands_for: 1, count: 3 },
    ]);
  }));

Deno.test("requests of a second are stored by one statement, and those of a key that is gone stop no other's", () =>
  withKey(async ({ sql, ...key }) => {
    const { requests, stored } = startRecording(sql);
    const gone = { companyId: key.companyId, keyId: crypto.randomUUID() };
    for (const each of [gone, key, gone, key]) {
      requests.record(request(each, 200), {
        ...FACTS,
        address: () => "203.0.113.7",
      });
    }
    requests.end();
    await stored();

    const rows = await sql`select api_key_id, xmin::text from outbound.key_requests`;

    assert.deepEqual(rows.map(({ api_key_id }) => api_key_id), [key.keyId, key.keyId]);
    assert.equal(new Set(rows.map(({ xmin }) => xmin)).size, 1);
    assert.equal(
      (await sql`select last_used_address from outbound.api_keys`)[0]!.last_used_address,
      "203.0.113.7",
    );
  }));

Deno.test("a page with filters looks through a fixed number of requests, and reads on behind them", () =>
  withKey(async ({ sql, companyId, keyId }) => {
    await sql`
      insert into outbound.key_requests (company_id, id, api_key_id, method, path, status, duration_ms, stands_for,
        created_at)
      select ${companyId}, gen_random_uuid(), ${keyId}, 'POST', '/notify', case n when 10100 then 400 else 200 end, 1, 1,
        now() - interval '1 second' * n
      from generate_series(1, 10150) as n`;
    const page = async (after?: string) =>
      await readKeyRequestPage(sql, { companyId, keyId, refused: true, limit: 10, after });

    const first = await page();
    const second = await page(first.next!);

    assert.deepEqual([first.rows.length, second.rows.map(({ status }) => status), second.next], [
      0,
      [400],
      null,
    ]);
  }));

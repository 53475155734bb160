import assert from "node:assert/strict";
import { createKey } from "../../cli/key/actions.ts";
import { hashAccessKey } from "../../supabase/functions/_shared/access/new_keys.ts";
import { createSealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertCompany, TEST_SECRETS_KEY } from "../setup/fixtures/fixtures.ts";
import { showKey } from "../setup/fixtures/keys.ts";

const sealer = createSealer(TEST_SECRETS_KEY);

/** Returns how the API judges a key. */
async function outcomeOf(sql: Sql, key: string): Promise<string> {
  const [row] = await sql<{ outcome: string }[]>`select outcome from outbound.use_access_key(${
    hashAccessKey(key)
  })`;
  return row!.outcome;
}

async function currentKeys(sql: Sql, companyId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from outbound.api_keys where company_id = ${companyId} and is_current`;
  return row!.count;
}

Deno.test("createKey() makes a key that the API takes, and seals it", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);

    const { key, keyId } = await createKey({ sql, sealer }, {
      companyId,
      permissions: ["voice_notifications"],
      rateLimit: 7,
      dailyQuota: 0,
    });

    assert.equal(await outcomeOf(sql, key), "ok");
    assert.equal(await showKey({ sql, sealer }, companyId), key);
    const [row] =
      await sql`select id, permissions, rate_limit, daily_quota, is_active from outbound.api_keys`;
    assert.deepEqual({ ...row }, {
      id: keyId,
      permissions: ["voice_notifications"],
      rate_limit: 7,
      daily_quota: 0,
      is_active: true,
    });
  }));

Deno.test("createKey() called twice at once makes one key and refuses the other", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);

    const results = await Promise.allSettled([1, 2].map(() => createKey({ sql, sealer }, { companyId })));

    assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const refused = results.find((result) => result.status === "rejected");
    assert.equal(refused?.reason.code, "already_exists");
    assert.match(refused?.reason.message, /its owners rotate it/);
    assert.equal(await currentKeys(sql, companyId), 1);
  }));

Deno.test("createKey() names an unknown company", () =>
  withTestDatabase(async ({ sql }) => {
    await assert.rejects(createKey({ sql, sealer }, { companyId: crypto.randomUUID() }), {
      code: "not_found",
    });
  }));

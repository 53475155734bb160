import assert from "node:assert/strict";
import {
  addFurtherKey,
  createKey,
  listFurtherKeys,
  revokeFurtherKey,
  rotateKey,
  setKeyActive,
  showKey,
} from "../../cli/key/actions.ts";
import { hashAccessKey } from "../../supabase/functions/_shared/access/new_keys.ts";
import { createSealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertCompany, TEST_SECRETS_KEY } from "../setup/fixtures/fixtures.ts";

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

Deno.test("createKey() makes a key that the API takes and showKey() returns", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);

    const { key, keyId } = await createKey({ sql, sealer }, {
      companyId,
      permissions: ["voice_notifications"],
      rateLimit: 7,
      dailyQuota: 0,
    });

    assert.equal(await outcomeOf(sql, key), "ok");
    const { created_at: _, last_used_at: __, last_used_address: ___, ...shown } = await showKey({
      sql,
      sealer,
    }, { companyId });
    assert.deepEqual(shown, {
      key,
      key_id: keyId,
      permissions: ["voice_notifications"],
      rate_limit: 7,
      daily_quota: 0,
      is_active: true,
      old_expires_at: null,
    });
  }));

Deno.test("createKey() called twice at once makes one key and refuses the other", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);

    const results = await Promise.allSettled([1, 2].map(() => createKey({ sql, sealer }, { companyId })));

    assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const refused = results.find((result) => result.status === "rejected");
    assert.equal(refused?.reason.code, "already_exists");
    assert.match(refused?.reason.message, /use "key rotate"/);
    assert.equal(await currentKeys(sql, companyId), 1);
  }));

Deno.test("rotateKey() keeps permissions and limits, makes a revoked key active, and ends the old one", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    const limits = { permissions: ["chatapp_notifications"] as const, rateLimit: 3, dailyQuota: 9 };
    const old = await createKey({ sql, sealer }, { companyId, ...limits });
    await setKeyActive({ sql }, { companyId, isActive: false });

    const { key } = await rotateKey({ sql, sealer }, { companyId });

    const shown = await showKey({ sql, sealer }, { companyId });
    assert.equal(shown.key, key);
    assert.deepEqual(
      { permissions: shown.permissions, rateLimit: shown.rate_limit, dailyQuota: shown.daily_quota },
      limits,
    );
    assert.equal(await outcomeOf(sql, key), "ok");
    assert.equal(await outcomeOf(sql, old.key), "unauthorized");
  }));

Deno.test("rotateKey() called five times at once leaves one current key", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    await createKey({ sql, sealer }, { companyId });

    const rotated = await Promise.all(
      Array.from({ length: 5 }, () => rotateKey({ sql, sealer }, { companyId })),
    );

    const outcomes = await Promise.all(rotated.map(({ key }) => outcomeOf(sql, key)));
    assert.equal(outcomes.filter((outcome) => outcome === "ok").length, 1);
    assert.equal(await currentKeys(sql, companyId), 1);
  }));

Deno.test("further keys are made, rotated with an overlap and revoked beside the company's own", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    const own = await createKey({ sql, sealer }, { companyId });

    const first = await addFurtherKey({ sql }, { companyId, name: "Shop", dailyQuota: 7 });
    const second = await rotateKey({ sql, sealer }, { companyId, keyId: first.keyId, overlapHours: 1 });
    const outcomes = () => Promise.all([own, first, second].map(({ key }) => outcomeOf(sql, key)));

    assert.equal(second.keyId, first.keyId);
    assert.deepEqual(await outcomes(), ["ok", "ok", "ok"]);
    await revokeFurtherKey({ sql }, { companyId, keyId: first.keyId });
    assert.deepEqual(await outcomes(), ["ok", "unauthorized", "unauthorized"]);
    const listed = await listFurtherKeys({ sql }, { companyId });
    assert.deepEqual(listed.map(({ name, daily_quota, is_active }) => [name, daily_quota, is_active]), [
      ["Shop", 7, false],
    ]);
    assert.equal((await showKey({ sql, sealer }, { companyId })).key, own.key);
    await assert.rejects(rotateKey({ sql, sealer }, { companyId, keyId: first.keyId }), {
      code: "not_found",
    });
    await assert.rejects(revokeFurtherKey({ sql }, { companyId, keyId: own.keyId }), { code: "not_found" });
    const unknown = { companyId, name: "Shop", senderIds: [crypto.randomUUID()] };
    await assert.rejects(addFurtherKey({ sql }, unknown), { code: "bad_value", message: /sender_ids\[0\]/ });
  }));

Deno.test("setKeyActive() revokes the key and activates it again", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    const { key } = await createKey({ sql, sealer }, { companyId });

    await setKeyActive({ sql }, { companyId, isActive: false });
    const revoked = await outcomeOf(sql, key);
    await setKeyActive({ sql }, { companyId, isActive: true });

    assert.deepEqual([revoked, await outcomeOf(sql, key)], ["unauthorized", "ok"]);
  }));

Deno.test("showKey() says so when OUTBOUND_SECRETS_KEY is another one", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    await createKey({ sql, sealer }, { companyId });

    const other = createSealer("another-secrets-key-of-32-characters");

    await assert.rejects(showKey({ sql, sealer: other }, { companyId }), {
      message:
        /^The key of company .* cannot be opened: it is sealed with the key [0-9a-f]{8}, which OUTBOUND_SECRETS_KEY/,
    });
  }));

Deno.test("key actions distinguish an unknown company from one without a key", () =>
  withTestDatabase(async ({ sql }) => {
    const [unknown, keyless] = [crypto.randomUUID(), (await insertCompany(sql)).id];
    const calls = [
      (companyId: string) => rotateKey({ sql, sealer }, { companyId }),
      (companyId: string) => setKeyActive({ sql }, { companyId, isActive: false }),
      (companyId: string) => showKey({ sql, sealer }, { companyId }),
    ];

    for (const call of calls) {
      await assert.rejects(call(unknown), { code: "not_found", message: `No company with id ${unknown}` });
      await assert.rejects(call(keyless), { code: "not_found", message: /has no key: use "key create"/ });
    }
    await assert.rejects(createKey({ sql, sealer }, { companyId: unknown }), {
      message: `No company with id ${unknown}`,
    });
  }));

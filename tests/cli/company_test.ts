import assert from "node:assert/strict";
import { createCompany, updateCompany } from "../../cli/company/actions.ts";
import { createKey } from "../../cli/key/actions.ts";
import { createSealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { readCompanies } from "../../supabase/functions/_shared/db/access/companies.ts";
import { withTestDatabase } from "../setup/database.ts";
import { insertMember, insertSender, TEST_SECRETS_KEY } from "../setup/fixtures.ts";

Deno.test("createCompany() creates a company with API access by default; readCompanies() shows both", () =>
  withTestDatabase(async ({ sql }) => {
    const { companyId } = await createCompany({ sql }, { name: "Open" });
    await createCompany({ sql }, { name: "Closed", apiAccess: false });
    await createKey({ sql, sealer: createSealer(TEST_SECRETS_KEY) }, { companyId });
    await insertMember(sql, companyId);
    await insertSender(sql, companyId);

    const rows = await readCompanies(sql);

    const facts = rows.map(({ companyId: _, createdAt: __, ...row }) => row);
    assert.deepEqual(facts, [
      { name: "Open", apiAccess: true, key: "active", members: 1, senders: 1 },
      { name: "Closed", apiAccess: false, key: "none", members: 0, senders: 0 },
    ]);
  }));

Deno.test("createCompany() refuses an empty name and one of 201 characters", () =>
  withTestDatabase(async ({ sql }) => {
    for (const name of ["", "x".repeat(201)]) {
      await assert.rejects(createCompany({ sql }, { name }), { code: "bad_value" });
    }
  }));

Deno.test("updateCompany() switches API access, and names a company it does not find", () =>
  withTestDatabase(async ({ sql }) => {
    const { companyId } = await createCompany({ sql }, { name: "Acme" });
    const unknown = crypto.randomUUID();

    await updateCompany({ sql }, { companyId, apiAccess: false });

    assert.equal((await readCompanies(sql))[0]?.apiAccess, false);
    await assert.rejects(updateCompany({ sql }, { companyId: unknown, apiAccess: true }), {
      code: "not_found",
      message: `No company with id ${unknown}`,
    });
  }));

Deno.test("updateCompany() changes only what is given", () =>
  withTestDatabase(async ({ sql }) => {
    const { companyId } = await createCompany({ sql }, { name: "Acme", apiAccess: false });

    const changed = await updateCompany({ sql }, { companyId, onUnknown: "hold" });

    const visitorCaps = { voiceSessions: 1000, voiceMinutes: 3000, conversations: 5000, storedMb: 250 };
    const ceilings = { dailyQuota: 100_000, rateLimit: 600, voiceMinutes: 3000, senderRate: 80 };
    const others = { companyId, apiAccess: false, callGapS: 60, currency: null, visitorCaps, ceilings };
    assert.deepEqual(changed, { ...others, onUnknown: "hold" });
  }));

Deno.test("updateCompany() sets the gap between calls, and refuses what cannot be", () =>
  withTestDatabase(async ({ sql }) => {
    const { companyId } = await createCompany({ sql }, { name: "Acme" });

    const none = await updateCompany({ sql }, { companyId, callGapS: 0 });
    const some = await updateCompany({ sql }, { companyId, callGapS: 5 });

    assert.deepEqual([none.callGapS, some.callGapS], [0, 5]);
    await assert.rejects(updateCompany({ sql }, { companyId, callGapS: 86_401 }), { code: "bad_value" });
  }));

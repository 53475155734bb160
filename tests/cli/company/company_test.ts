import assert from "node:assert/strict";
import { createCompany, updateCompany } from "../../../cli/company/actions.ts";
import { createKey } from "../../../cli/key/actions.ts";
import { createSealer } from "../../../supabase/functions/_shared/crypto/seal.ts";
import { readCompanies } from "../../../supabase/functions/_shared/db/access/companies.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertMember, insertSender, TEST_SECRETS_KEY } from "../../setup/fixtures/fixtures.ts";

Deno.test("createCompany() creates a company with API access by default; readCompanies() shows both", () =>
  withTestDatabase(async ({ sql }) => {
    const { companyId } = await createCompany({ sql }, { name: "Open" });
    await createCompany({ sql }, { name: "Closed", apiAccess: false });
    await createKey({ sql, sealer: createSealer(TEST_SECRETS_KEY) }, { companyId });
    await insertMember(sql, companyId);
    await insertSender(sql, companyId);

    const rows = await readCompanies(sql);

    const facts = rows.map(({ company_id: _, created_at: __, ...row }) => row);
    assert.deepEqual(facts, [
      { name: "Open", api_access: true, key: "active", members: 1, senders: 1 },
      { name: "Closed", api_access: false, key: "none", members: 0, senders: 0 },
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

    await updateCompany({ sql }, { companyId, api_access: false });

    assert.equal((await readCompanies(sql))[0]?.api_access, false);
    await assert.rejects(updateCompany({ sql }, { companyId: unknown, api_access: true }), {
      code: "not_found",
      message: `No company with id ${unknown}`,
    });
  }));

Deno.test("updateCompany() changes only what is given", () =>
  withTestDatabase(async ({ sql }) => {
    const { companyId } = await createCompany({ sql }, { name: "Acme", apiAccess: false });

    const changed = await updateCompany({ sql }, { companyId, currency: "EUR" });

    const visitor_caps = { voice_sessions: 1000, voice_minutes: 3000, conversations: 5000, stored_mb: 250 };
    const ceilings = { daily_quota: 100_000, rate_limit: 600, voice_minutes: 3000, sender_rate: 80 };
    const others = {
      company_id: companyId,
      api_access: false,
      call_gap_s: 60,
      on_unknown: "resend",
      learn_contacts: false,
      record_bodies: false,
      test: false,
      visitor_caps,
      ceilings,
    };
    assert.deepEqual(changed, { ...others, currency: "EUR" });
  }));

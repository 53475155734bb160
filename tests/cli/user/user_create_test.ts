import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { createUser } from "../../../cli/user/actions.ts";
import type { Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { withAuthServer } from "../with_auth_server.ts";

async function companiesOf(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select company_id as id from outbound.company_members where user_id = ${userId}`;
  return rows.map(({ id }) => id).sort();
}

async function countUsers(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from auth.users`;
  return row!.count;
}

Deno.test("createUser() makes a user who can log in and belongs to the companies", () =>
  withAuthServer(async ({ sql, supabaseUrl, supabaseSecretKey }) => {
    const companyIds = [(await insertCompany(sql)).id, (await insertCompany(sql)).id].sort();
    const [email, password] = ["ana@example.test", "correct horse 1"];

    const { userId, created } = await createUser({ sql, supabaseUrl, supabaseSecretKey }, {
      email,
      password,
      name: "Ana",
      companyIds,
    });

    const client = createClient(supabaseUrl, "sb_publishable_test", { auth: { persistSession: false } });
    const { data } = await client.auth.signInWithPassword({ email, password });
    await client.auth.stopAutoRefresh();
    assert.equal(created, true);
    assert.deepEqual([data.user?.id, data.user?.user_metadata.name], [userId, "Ana"]);
    assert.deepEqual(await companiesOf(sql, userId), companyIds);
  }));

Deno.test("createUser() lets a user the auth server has into more companies, whatever the case of the e-mail", () =>
  withAuthServer(async ({ sql, supabaseUrl, supabaseSecretKey }) => {
    const context = { sql, supabaseUrl, supabaseSecretKey };
    const [first, second] = [(await insertCompany(sql)).id, (await insertCompany(sql)).id];
    const user = { email: "ana@example.test", password: "correct horse 1", name: "Ana" };
    const { userId } = await createUser(context, { ...user, companyIds: [first] });
    await createUser(context, { ...user, email: "newer@example.test", companyIds: [first] });

    const again = await createUser(context, {
      ...user,
      email: "Ana@Example.test",
      companyIds: [first, second],
    });

    assert.deepEqual(again, { userId, created: false });
    assert.deepEqual(await companiesOf(sql, userId), [first, second].sort());
    assert.equal(await countUsers(sql), 2);
  }));

Deno.test("createUser() makes no user when a company is unknown or the auth server refuses", () =>
  withAuthServer(async ({ sql, supabaseUrl, supabaseSecretKey }) => {
    const context = { sql, supabaseUrl, supabaseSecretKey };
    const [known, unknown] = [(await insertCompany(sql)).id, crypto.randomUUID()];
    const user = { email: "ana@example.test", password: "correct horse 1", name: "Ana" };
    const refused = { code: "platform_error", message: /^The auth server refused: / };

    await assert.rejects(createUser(context, { ...user, companyIds: [known, unknown] }), {
      message: `No company with id ${unknown}`,
    });
    await assert.rejects(createUser(context, { ...user, password: "ö".repeat(37), companyIds: [known] }), {
      code: "bad_value",
      message: "The password is longer than 72 bytes",
    });
    await assert.rejects(createUser(context, { ...user, email: "no address", companyIds: [known] }), refused);
    await assert.rejects(
      createUser({ ...context, supabaseSecretKey: "wrong" }, { ...user, companyIds: [known] }),
      refused,
    );
    await assert.rejects(
      createUser({ ...context, supabaseUrl: "http://127.0.0.1:9" }, { ...user, companyIds: [known] }),
      { code: "platform_error", message: "The auth server cannot be reached" },
    );
    assert.equal(await countUsers(sql), 0);
  }));

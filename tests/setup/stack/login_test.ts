import assert from "node:assert/strict";
import { insertCompany, insertKey, insertMember } from "../fixtures/fixtures.ts";
import { withLogin } from "./login.ts";

Deno.test("withLogin() logs a user in and shows the keys of the user's company", () =>
  withLogin(async ({ http, sql, createUser, logIn }) => {
    const user = await createUser();
    const company = await insertCompany(sql);
    const key = await insertKey(sql, company.id);
    await insertMember(sql, company.id, user.id);

    const token = await logIn(user);
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await http.post("/api_keys", undefined, { headers });

    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.validApiKeys.map((entry: { key: string }) => entry.key), [key.key]);
  }));

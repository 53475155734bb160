import assert from "node:assert/strict";
import { totpCode } from "../../local/auth/totp.ts";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";
import { PASSWORD, type Person, type SupabaseAuth, withSupabaseAuth } from "./with_supabase_auth.ts";

const levelOf = ({ access_token }: Person) => JSON.parse(atob(access_token.split(".")[1]!)).aal;

const refusal = ({ status, body }: TestAnswer<JsonObject>) => [status, body.error];
const NEEDED = [403, "second_factor_required"];

async function verify({ as }: SupabaseAuth, person: Person, id: string, code: string) {
  return await as(person, "POST", `/auth/factors/${id}/verify`, { code });
}

Deno.test("a second factor opens what the password alone does not", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const { owner, as, companyId } = t;
    const elsewhere = (await t.logIn(owner.email, PASSWORD))!;
    const enrolled = await as(owner, "POST", "/auth/factors", { name: "Phone" });
    assert.equal(enrolled.status, 200, JSON.stringify(enrolled.body));
    const { factor_id, secret, uri, qr_code } = enrolled.body;
    assert.match(uri, /^otpauth:\/\/totp\//);
    assert.match(qr_code, /<svg/);
    assert.deepEqual(refusal(await verify(t, owner, factor_id, "000000")), [400, "validation_failed"]);

    const verified = await verify(t, owner, factor_id, totpCode(secret, Date.now()));

    assert.equal(verified.status, 200, JSON.stringify(verified.body));
    const strong = { ...owner, ...verified.body } as Person;
    assert.deepEqual([levelOf(owner), levelOf(strong)], ["aal1", "aal2"]);
    const members = `/manage/companies/${companyId}/members`;
    assert.equal((await as(strong, "GET", members)).status, 200);
    assert.equal(
      (await t.http.post("/auth/refresh", { refresh_token: elsewhere.refresh_token })).status,
      401,
    );

    const weak = (await t.logIn(owner.email, PASSWORD))!;
    assert.deepEqual(refusal(await as(weak, "GET", "/manage/companies")), NEEDED);
    assert.deepEqual(refusal(await as(weak, "GET", members)), NEEDED);
    assert.equal((await as(weak, "POST", "/api_keys")).status, 403);
    assert.deepEqual(
      refusal(await as(weak, "POST", "/auth/password", { password: "another horse 2" })),
      NEEDED,
    );
    assert.deepEqual(refusal(await as(weak, "POST", "/auth/factors", { name: "Mine" })), NEEDED);
    assert.deepEqual(refusal(await as(weak, "DELETE", `/auth/factors/${factor_id}`)), NEEDED);
    const { factors } = (await as(weak, "GET", "/auth/factors")).body;
    assert.deepEqual(factors.map((factor: JsonObject) => [factor.factor_id, factor.is_verified]), [
      [factor_id, true],
    ]);

    const again = await verify(t, weak, factor_id, totpCode(secret, Date.now()));
    assert.equal(again.status, 200, JSON.stringify(again.body));
    const opened = { ...weak, ...again.body } as Person;
    assert.equal((await as(opened, "GET", members)).status, 200);
    const refreshed = await t.http.post("/auth/refresh", { refresh_token: opened.refresh_token });
    const next = { ...weak, ...refreshed.body } as Person;
    assert.equal(levelOf(next), "aal2", "a refreshed session keeps its level");
    assert.equal((await as(next, "DELETE", `/auth/factors/${factor_id}`)).status, 204);
    assert.equal((await as((await t.logIn(owner.email, PASSWORD))!, "GET", members)).status, 200);
  }));

Deno.test("a set-up that was not finished changes nothing and makes room for the next", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const person = await t.createPerson();
    for (let round = 0; round < 2; round++) {
      const { status, body } = await t.as(person, "POST", "/auth/factors", { name: "Phone" });
      assert.equal(status, 200, JSON.stringify(body));
    }
    const { factors } = (await t.as(person, "GET", "/auth/factors")).body;
    assert.equal(factors.length, 1);
    assert.equal(
      (await t.as((await t.logIn(person.email, PASSWORD))!, "GET", "/manage/companies")).status,
      200,
    );
    const missing = await verify(t, person, crypto.randomUUID(), "123456");
    assert.deepEqual(refusal(missing), [404, "not_found"]);
  }));
